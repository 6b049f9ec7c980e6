import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execute } from '../../src/service/command-line';
import { core } from '../support/core';
import { aTerminal } from '../support/terminal';

describe('countinghouse module new', () => {
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'countinghouse-module-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  async function run(...args: string[]): Promise<{ code: number; out: string; err: string }> {
    const terminal = aTerminal();
    const code = await execute(() => core, ['module', 'new', ...args, '--folder', folder], terminal);
    return { code, out: terminal.out, err: terminal.err };
  }

  it('writes all files of a module, with its name in every spelling', async () => {
    const { code, out } = await run('bank-mandate', '--prefix', 'bman');
    expect(code).toBe(0);
    const target = join(folder, 'bank-mandates');
    const files = readdirSync(target).toSorted();
    expect(files).toEqual([
      'bank-mandate.ts',
      ...['controller', 'dto', 'migration', 'module', 'service', 'table', 'test'].map(
        (role) => `bank-mandates.${role}.ts`,
      ),
    ]);
    expect(out.match(/^Wrote /gm)).toHaveLength(files.length);
    const text = files.map((file) => readFileSync(join(target, file), 'utf8')).join('\n');
    expect(text).not.toMatch(/sample|smpl|1798761600000/i);
    for (const part of [
      'class BankMandate extends EventSource',
      'export const bankMandates: ServiceModule',
      "'bank_mandate.created'",
      "@Controller('v1/bank-mandates')",
      "accountOwnedOperations('bank mandate', 'bman', { scope: 'bank_mandates' })",
      "from './bank-mandates.table'",
      'CREATE TABLE "bank_mandates"',
    ])
      expect(text).toContain(part);
    const [, time] = /class BankMandates(\d{13}) implements/.exec(text)!;
    expect(Math.abs(Date.now() - Number(time))).toBeLessThan(600_000);
  });

  it('takes the first letters of the name as the prefix', async () => {
    await run('mandate');
    expect(readFileSync(join(folder, 'mandates/mandates.table.ts'), 'utf8')).toContain("prefix: 'mand'");
  });

  it('overwrites nothing', async () => {
    await run('mandate');
    const file = join(folder, 'mandates/mandate.ts');
    writeFileSync(file, 'changed');
    const { code, err } = await run('mandate');
    expect(code).toBe(2);
    expect(err).toContain('exists already. Nothing was written.');
    expect(readFileSync(file, 'utf8')).toBe('changed');
  });

  it.each<[string, string[], string]>([
    ['no name', [], "missing required argument 'name'"],
    ['a path', ['../mandate'], 'It must be lower-case words'],
    ['capital letters', ['Mandate'], 'It must be lower-case words'],
    ['a name that is too long', ['a'.repeat(31)], 'of 2 to 30 characters'],
    [
      'a table of the service',
      ['transaction', '--prefix', 'tran'],
      'There is a table "transactions" already.',
    ],
    ['a prefix of the service', ['mandate', '--prefix', 'txn'], 'The id prefix "txn" is taken.'],
    ['a prefix with digits', ['mandate', '--prefix', 'm4'], 'It must be 2 to 8 lower-case letters.'],
    ['the name of a built-in class', ['date'], 'The name "Date" is used otherwise.'],
    ['the name of what the module uses', ['database'], 'The name "Database" is used otherwise.'],
    ['a name that makes one of those', ['account-owned'], 'is used otherwise.'],
  ])('rejects %s', async (_, args, message) => {
    const { code, err } = await run(...args);
    expect(code).toBe(2);
    expect(err).toContain(message);
    expect(readdirSync(folder)).toEqual([]);
  });
});
