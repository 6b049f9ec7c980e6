import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { execute } from '../../src/service/command-line';
import { AUDIT_ENTRIES } from '../support/audit-entries';
import { compile, compiledFolder } from '../support/compiled';
import { core } from '../support/core';
import { createDatabase, databaseUrl, dropDatabase, onServer } from '../support/databases';
import { aTerminal, TestTerminal } from '../support/terminal';

const PASSWORD = 'open sesame and more';

let url: string;
let names: string[];

beforeAll(async () => {
  const database = await createDatabase();
  ({ url } = database);
  names = [database.name];
});
afterAll(async () => {
  for (const name of names) await dropDatabase(name);
});

const settings = (more: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv => ({
  DATABASE_URL: url,
  JWT_SECRETS: 'a secret of the command that signs nothing',
  BCRYPT_COST: '4',
  LOG_LEVEL: 'silent',
  ...more,
});

async function query(sql: string): Promise<object[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<object>(sql)).rows;
  } finally {
    await client.end();
  }
}

async function run(args: string, env = settings(), input = ''): Promise<TestTerminal & { code: number }> {
  const terminal = aTerminal(env, input);
  return Object.assign(terminal, { code: await execute(() => core, args.split(' '), terminal) });
}

describe('migrate', () => {
  it('says what is pending with --check, changes nothing, and then applies it', async () => {
    const name = `empty_${randomBytes(6).toString('hex')}`;
    names.push(name);
    await onServer(`CREATE DATABASE ${name}`);
    const env = settings({ DATABASE_URL: databaseUrl(name) });
    const all = core.schema.migrations.map((migration) => migration.name);
    for (const _twice of [1, 2]) {
      const check = await run('migrate --check --json', env);
      expect({ code: check.code, out: JSON.parse(check.out) }).toEqual({ code: 1, out: { pending: all } });
    }
    const applied = await run('migrate', env);
    expect(applied.code).toBe(0);
    expect(applied.out.split('\n')).toEqual([
      ...all.map((one) => `Applied: ${one}`),
      `Applied ${all.length} migrations.`,
      '',
    ]);
    const check = await run('migrate --check', env);
    expect({ code: check.code, out: check.out }).toEqual({ code: 0, out: 'No migration is pending.\n' });
    expect(JSON.parse((await run('migrate --json', env)).out)).toEqual({ applied: [] });
  });
});

describe('migrations check', () => {
  it('finds the tables of the service and of an extension, and prints nothing else', async () => {
    compile('examples/payouts', compiledFolder());
    const example = join(compiledFolder(), 'examples/payouts');
    mkdirSync(join(example, 'node_modules/countinghouse'), { recursive: true });
    const index = JSON.stringify(join(compiledFolder(), 'src/index.js'));
    writeFileSync(
      join(example, 'node_modules/countinghouse/index.js'),
      `module.exports = require(${index});`,
    );
    const args = ['src/main.js', 'migrations', 'check'];
    const { stdout, stderr } = await promisify(execFile)(process.execPath, args, { cwd: example });
    expect([stdout, stderr]).toEqual(['The migrations create the mapped tables.\n', '']);
  });
});

describe('admin create', () => {
  it('takes the password from the standard input', async () => {
    const created = await run('admin create --email ada@example.com', settings(), `${PASSWORD}\n`);
    expect(created).toMatchObject({ code: 0, out: 'The admin ada@example.com was created.\n', err: '' });
    const again = await run('admin create --email ada@example.com --json', settings(), `${PASSWORD}\n`);
    expect(JSON.parse(again.out)).toEqual({ email: 'ada@example.com', created: false });
  });

  it.each([
    ['admin create', 'Name the admin with --email, or with ADMIN_EMAIL.\n'],
    ['admin create --email nobody', 'nobody is not an email address.\n'],
  ])('rejects wrong arguments: %s', async (args, message) => {
    expect(await run(args)).toMatchObject({ code: 2, err: message });
  });

  it('rejects an empty password', async () => {
    const { code, err } = await run('admin create --email eve@example.com');
    expect(code).toBe(2);
    expect(err).toBe('There is no password: set ADMIN_PASSWORD, or write it to the standard input.\n');
  });
});

describe('ledger verify', () => {
  it('prints one object with --json, and lines for people on the standard error', async () => {
    const { code, out, err } = await run('ledger verify --json');
    expect(code).toBe(0);
    const none = { entries: 0, faults: [], seconds: expect.any(Number) };
    expect(JSON.parse(out)).toEqual({
      journal: { ...none, accounts: 0 },
      audit_log: { ...none, unsealed: expect.any(Number), erased: 0 },
    });
    expect(err).toMatch(
      /^0 entries of 0 accounts in .* s: no faults found\.\n0 entries of the audit log, 0 with erased values, and \d+ not sealed yet/,
    );
  });

  it('refuses a folder without a database, and creates none', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'countinghouse-empty-'));
    const env = settings({ DATABASE_URL: '', DATA_DIR: join(folder, 'tpyo') });
    const { code, out, err } = await run('ledger verify', env);
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toMatch(
      /^The journal cannot be verified\. DATA_DIR: there is no database in .*tpyo\. .*migrate/,
    );
    expect(readdirSync(folder)).toEqual([]);
    rmSync(folder, { recursive: true });
  });

  it('refuses an empty database, and leaves it empty', async () => {
    const name = `empty_${randomBytes(6).toString('hex')}`;
    names.push(name);
    await onServer(`CREATE DATABASE ${name}`);
    const env = settings({ DATABASE_URL: databaseUrl(name) });
    const { code, err } = await run('ledger verify', env);
    expect(code).toBe(1);
    expect(err).toContain('the database is empty');
    const pending = (await run('migrate --check --json', env)).out;
    expect((JSON.parse(pending) as { pending: string[] }).pending).toHaveLength(
      core.schema.migrations.length,
    );
  });
});

describe('audit-log erase', () => {
  it('erases the values of a user, and needs the id of one', async () => {
    const id = 'usr_01k9x8v2t4e6rb3m5n7p9q1s0w';
    expect(await run(`audit-log erase --subject ${id} --reason 2041`)).toMatchObject({
      code: 0,
      out: `The values of 0 entries about ${id} are erased.\n`,
    });
    expect(await run('audit-log erase --subject ada --reason 2041')).toMatchObject({
      code: 2,
      err: '--subject takes the id of a user or an account: usr_... or acc_...\n',
    });
  });
});

describe('keys rotate', () => {
  it('adds the step to the audit log, with the ids of the keys', async () => {
    const { code, out } = await run('keys rotate --stdout --json');
    expect(code).toBe(0);
    const { keys } = JSON.parse(out) as { keys: string[] };
    const entries = await query(
      `SELECT actor_id, object_id, outcome, details FROM ${AUDIT_ENTRIES} WHERE action = 'secret.rotate'`,
    );
    const entry = {
      actor_id: 'system',
      object_id: null,
      outcome: 'succeeded',
      details: { step: 'add', keys },
    };
    expect(entries).toEqual([entry]);
  });

  it('changes nothing when the entry cannot be written', async () => {
    const file = join(tmpdir(), `unwritten-${randomBytes(6).toString('hex')}`);
    const env = settings({ DATABASE_URL: 'postgresql://127.0.0.1:1/nowhere' });
    expect((await run(`keys rotate --output ${file}`, env)).code).toBe(1);
    expect(existsSync(file)).toBe(false);
  });
});

describe('openapi', () => {
  it('says where it writes the document, and which folder it has created for it', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'countinghouse-openapi-'));
    const file = join(folder, 'new', 'openapi.json');
    const { code, out } = await run(`openapi --output ${file}`);
    expect({ code, out }).toEqual({
      code: 0,
      out: `Created the folder ${join(folder, 'new')}.\nWrote the OpenAPI document to ${file}.\n`,
    });
    expect(JSON.parse(readFileSync(file, 'utf8'))).toHaveProperty('openapi', '3.1.0');
    rmSync(folder, { recursive: true });
  });
});
