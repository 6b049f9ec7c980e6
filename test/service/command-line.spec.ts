import { readFileSync } from 'node:fs';
import { commands, execute } from '../../src/service/command-line';
import { defineService } from '../../src/service/define-service';
import { core } from '../support/core';
import { ROOT } from '../support/planted-tree';
import { aTerminal } from '../support/terminal';

async function run(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  const terminal = aTerminal({ PORT: 'no number' });
  const code = await execute(() => core, args, terminal);
  return { code, out: terminal.out, err: terminal.err };
}

const { version } = JSON.parse(readFileSync(`${ROOT}/package.json`, 'utf8')) as { version: string };

describe('The command line', () => {
  it('prints the version of the package', async () => {
    expect(await run('--version')).toEqual({ code: 0, out: `${version}\n`, err: '' });
  });

  it('prints the version as JSON, with --json', async () => {
    expect(await run('--version', '--json')).toEqual({
      code: 0,
      out: `${JSON.stringify({ version })}\n`,
      err: '',
    });
  });

  it('needs no service to print a help', async () => {
    const load = (): never => {
      throw new Error('The service was loaded.');
    };
    for (const args of [['--help'], ['ledger', 'verify', '--help'], ['--version']])
      expect(await execute(load, args, aTerminal())).toBe(0);
  });

  it('lists every command in its help, with the exit codes', async () => {
    const { code, out } = await run('--help');
    expect(code).toBe(0);
    for (const { name, summary } of commands) expect(out).toMatch(new RegExp(`^  ${name} +${summary}$`, 'm'));
    expect(out).toMatch(/^ {2}2 {2}wrong arguments; nothing was done$/m);
  });

  it.each(commands.map(({ name }) => name))('has a help for "%s" with examples, and --json', async (name) => {
    const { code, out, err } = await run(...name.split(' '), '--help');
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toContain(`Usage: countinghouse ${name}`);
    expect(out).toContain('--json');
    expect(out).toMatch(new RegExp(`\nExamples:\n  \\$ countinghouse ${name}`));
  });

  it.each([
    [['sevre'], "unknown command 'sevre'"],
    [['ledger'], 'Usage: countinghouse ledger'],
    [['ledger', 'verfy'], "unknown command 'verfy'"],
    [['serve', 'now'], 'too many arguments'],
    [['migrate', '--chekc'], '(Did you mean --check?)'],
    [['citus', 'distribute', '--shards', '0'], 'It must be a positive integer.'],
    [['citus', 'distribute', '--shards'], 'argument missing'],
  ])('exits with 2 for %j', async (args, message) => {
    const { code, out, err } = await run(...args);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toContain(message);
  });

  it.each([
    [['ledger', 'verify'], 'The journal cannot be verified. PORT: '],
    [['ledger:verify'], 'The journal cannot be verified. PORT: '],
    [['start'], 'Countinghouse cannot start. PORT: '],
    [[], 'Countinghouse cannot start. PORT: '],
  ])('exits with 1 for %j when a setting is invalid', async (args, message) => {
    const { code, out, err } = await run(...args);
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toMatch(new RegExp(`^${message}[^\n]+\n$`));
  });

  it('prints the failure as JSON too, with --json', async () => {
    const { code, out, err } = await run('migrate', '--json');
    expect(code).toBe(1);
    expect(JSON.parse(out)).toEqual({ error: 'failed', message: err.trimEnd() });
  });

  it('reports a wrong declaration of an extension like any other failure', async () => {
    class TwiceModule {}
    const terminal = aTerminal();
    const twice = defineService({ extensions: [{ module: TwiceModule, idPrefixes: ['acc'] }] });
    expect(await execute(() => twice, ['migrate'], terminal)).toBe(1);
    expect(terminal.err).toContain('The id prefix "acc" is declared twice.');
  });
});
