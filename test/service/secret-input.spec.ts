import { readLine, readSecret } from '../../src/service/terminal';
import { aKeyboard, aTerminal } from '../support/terminal';

describe('A secret', () => {
  it('is the first line of the standard input', async () => {
    const terminal = aTerminal({}, 'open sesame\nand more\n');
    expect(await readSecret(terminal, 'Password: ')).toBe('open sesame');
    expect(terminal.out + terminal.err).toBe('');
  });

  it('is empty without input', async () => {
    expect(await readSecret(aTerminal(), 'Password: ')).toBe('');
  });

  it('is asked for on a terminal, which does not show it', async () => {
    const { terminal, type } = aKeyboard();
    const secret = readSecret(terminal, 'Password: ');
    type('opem\u007fn sesame\r');
    expect(await secret).toBe('open sesame');
    expect(terminal.out + terminal.err).toBe('Password: \n');
  });

  it('is empty when the question is cancelled', async () => {
    const { terminal, type } = aKeyboard();
    const secret = readSecret(terminal, 'Password: ');
    type('half\u0003');
    expect(await secret).toBe('');
  });
});

describe('A line', () => {
  it('is shown while it is typed', async () => {
    const { terminal, type } = aKeyboard();
    const line = readLine(terminal, 'Email: ');
    type('ada@example.com\r');
    expect(await line).toBe('ada@example.com');
    expect(terminal.err).toContain('Email: ');
    expect(terminal.err).toContain('ada@example.com');
    expect(terminal.out).toBe('');
  });
});
