import { PassThrough } from 'node:stream';
import { readSecret } from '../../src/service/terminal';
import { aTerminal, TestTerminal } from '../support/terminal';

/** A terminal on which someone types. */
function aKeyboard(): { terminal: TestTerminal; type: (keys: string) => void } {
  const stdin = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => stdin });
  const terminal = Object.assign(aTerminal(), { stdin }) as unknown as TestTerminal;
  return { terminal, type: (keys) => void stdin.write(keys) };
}

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
