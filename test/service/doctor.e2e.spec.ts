import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { AddressInfo, createServer, Server } from 'node:net';
import { Client } from 'pg';
import { CheckContext, ok } from '../../src/platform/config/health-check';
import { databaseCheck, unreachable } from '../../src/platform/database/database.check';
import { execute } from '../../src/service/command-line';
import { defineService } from '../../src/service/define-service';
import { diagnose } from '../../src/service/diagnosis';
import { TestClock } from '../support/clock';
import { core } from '../support/core';
import { asRole, createDatabase, databaseUrl, dropDatabase, onServer } from '../support/databases';
import { StripeDouble } from '../support/stripe-double';
import { aTerminal } from '../support/terminal';

const PASSWORD = 'canary-of-the-doctor';

let name: string;
let url: string;

beforeAll(async () => {
  ({ name, url } = await createDatabase());
});
afterAll(() => dropDatabase(name));

const settings = (more: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv => ({
  DATABASE_URL: url,
  DATABASE_POOL_SIZE: '1',
  JWT_SECRETS: 'a secret of the command that signs nothing',
  ...more,
});

/** Runs the command. @returns its exit code, and the findings that are not `ok` */
async function examine(env: NodeJS.ProcessEnv, service = core) {
  const terminal = aTerminal(env);
  const code = await execute(() => service, ['doctor', '--json'], terminal);
  expect(terminal.out + terminal.err).not.toContain(PASSWORD);
  const { errors, warnings, findings } = JSON.parse(terminal.out) as {
    errors: number;
    warnings: number;
    findings: { check: string; status: string; message: string; remedy: string | null }[];
  };
  const wrong = findings.filter(({ status }) => status !== 'ok');
  expect(wrong).toHaveLength(errors + warnings);
  expect(wrong.every(({ remedy }) => remedy !== null)).toBe(true);
  const checks = findings.map(({ check }) => check);
  return { code, checks, wrong: wrong.map(({ check, status, message }) => `${status} ${check}: ${message}`) };
}

/** A mail server that answers each command with a line. */
async function aMailServer(login: string): Promise<{ server: Server; smtpUrl: string }> {
  const server = createServer((socket) => {
    socket.write('220 mail\r\n');
    socket.on('data', (chunk) => {
      const command = String(chunk).slice(0, 4);
      socket.write(command === 'EHLO' ? '250-mail\r\n250 AUTH PLAIN\r\n' : `${login}\r\n`);
    });
    socket.on('error', () => undefined);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  return { server, smtpUrl: `smtp://user:${PASSWORD}@127.0.0.1:${port}` };
}

describe('The doctor', () => {
  it('finds nothing wrong with a deployment that works, and exits with 0', async () => {
    const { code, checks, wrong } = await examine(settings());
    expect({ code, wrong }).toEqual({ code: 0, wrong: [] });
    expect(checks).toEqual(
      expect.arrayContaining(['settings', 'database', 'migrations', 'clock', 'mail', 'processor']),
    );
  });

  it('prints a line for each finding, and how to mend it', async () => {
    const terminal = aTerminal(settings({ DATABASE_URL: 'postgresql://127.0.0.1:1/nowhere' }));
    expect(await execute(() => core, ['doctor'], terminal)).toBe(1);
    expect(terminal.out).toContain('ok      settings: All settings are valid.\n');
    expect(terminal.out).toContain(
      'ERROR   database: The database cannot be reached (ECONNREFUSED).\n        Start the server, or correct',
    );
    expect(terminal.out).toMatch(/^1 errors, 0 warnings\.$/m);
  });

  it('reports each invalid setting, and checks nothing that needs them', async () => {
    const { code, checks, wrong } = await examine(settings({ PORT: 'x', SMTP_URL: PASSWORD }));
    expect({ code, checks }).toEqual({ code: 1, checks: ['settings', 'settings'] });
    expect(wrong).toEqual([
      expect.stringMatching(/^error settings: PORT: /),
      expect.stringMatching(/^error settings: SMTP_URL: /),
    ]);
  });

  it.each([
    [
      'a user that is rejected',
      () => asRole(url, 'nobody_known', PASSWORD),
      /rejects the user or the password/,
    ],
    ['a database that is missing', () => databaseUrl('nowhere'), /does not exist \(3D000\)/],
  ])('reports %s', async (_, address, message) => {
    const { code, wrong } = await examine(settings({ DATABASE_URL: address() }));
    expect(code).toBe(1);
    expect(wrong).toEqual([expect.stringMatching(message)]);
  });

  it('warns of missing migrations', async () => {
    const empty = `empty_${randomBytes(6).toString('hex')}`;
    await onServer(`CREATE DATABASE ${empty}`);
    try {
      const { code, wrong } = await examine(settings({ DATABASE_URL: databaseUrl(empty) }));
      expect(code).toBe(0);
      expect(wrong).toEqual([expect.stringMatching(/^warning migrations: \d+ migrations are pending: \w+/)]);
    } finally {
      await dropDatabase(empty);
    }
  });

  it('counts the connections of a replica', async () => {
    const { wrong } = await examine(settings({ DATABASE_POOL_SIZE: '1000', WEB_CONCURRENCY: '2' }));
    expect(wrong.join('\n')).toContain('this replica opens up to 2502.');
  });

  it('warns of what sessions do not get, as behind PgBouncer', async () => {
    const client = new Client({ connectionString: url, statement_timeout: 15_000 });
    await client.connect();
    try {
      const query = async <Row extends object>(sql: string) => (await client.query<Row>(sql)).rows;
      const findings = await databaseCheck.run({
        settings: core.readSettings(settings()),
        clock: new TestClock(),
        query,
      });
      expect(findings.filter(({ status }) => status !== 'ok')).toEqual([
        {
          status: 'warning',
          message:
            'Sessions do not get what the service sets, as behind PgBouncer: lock_timeout, idle_in_transaction_session_timeout, random_page_cost, enable_incremental_sort.',
          remedy: expect.stringContaining('ALTER ROLE ... SET lock_timeout = 10000;'),
        },
      ]);
    } finally {
      await client.end();
    }
  });

  it('says that a PgBouncer rejects what the service sets', () => {
    expect(unreachable({ code: '08P01' })).toMatchObject({
      status: 'error',
      remedy: expect.stringContaining('#pgbouncer'),
    });
  });

  it('accepts a role that only reads and writes rows, until a migration is pending', async () => {
    const database = await createDatabase();
    const role = `writer_${randomBytes(6).toString('hex')}`;
    const owner = new Client({ connectionString: database.url });
    try {
      await onServer(`CREATE ROLE ${role} LOGIN`);
      await owner.connect();
      await owner.query(`GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO ${role}`);
      const env = settings({ DATABASE_URL: asRole(database.url, role) });
      expect(await examine(env)).toMatchObject({ code: 0, wrong: [] });
      await owner.query('DELETE FROM migrations WHERE id = (SELECT max(id) FROM migrations)');
      expect(await examine(env)).toMatchObject({
        code: 1,
        wrong: [
          expect.stringMatching(
            /^error migrations: 1 migrations are pending: \w+, and the role may not create tables\.$/,
          ),
        ],
      });
    } finally {
      await owner.end();
      await dropDatabase(database.name);
      await onServer(`DROP ROLE IF EXISTS ${role}`);
    }
  });

  it('reports a role that may not write, and a pool that is too large', async () => {
    const role = `guest_${randomBytes(6).toString('hex')}`;
    await onServer(`CREATE ROLE ${role} LOGIN`, `ALTER ROLE ${role} SET default_transaction_read_only = on`);
    try {
      const env = { DATABASE_URL: asRole(url, role), DATABASE_POOL_SIZE: '1000', SMTP_URL: '' };
      const { code, wrong } = await examine(settings(env));
      expect(code).toBe(1);
      expect(wrong.join('\n')).toContain('error database: The server accepts no writes.');
      expect(wrong.join('\n')).toMatch(/error database: The server allows \d+ connections/);
    } finally {
      await onServer(`DROP ROLE ${role}`);
    }
  });

  it.each([
    // On a busy machine, the time of the database is not taken in the middle of the query.
    [500, 'ok', /agrees/],
    [-5_000, 'warning', / [45]\.\d s behind /],
    [60_000, 'error', / (59|60)\.\d s ahead of /],
  ])('compares its clock with that of the database: %s ms', async (ms, status, message) => {
    const clock = new TestClock();
    clock.move({ seconds: ms / 1000 });
    for await (const finding of diagnose(core, settings(), { clock }))
      if (finding.check === 'clock')
        return expect(finding).toMatchObject({ status, message: expect.stringMatching(message) });
    throw new Error('The clock was not checked.');
  });

  it.each([
    ['235 welcome', 0, []],
    ['535 go away', 1, ['error mail: The mail server rejects the login (SMTP_535).']],
  ])('logs in to the mail server, which answers %s', async (answer, code, wrong) => {
    const { server, smtpUrl } = await aMailServer(answer);
    try {
      const env = settings({ SMTP_URL: smtpUrl, MAIL_FROM: 'a@example.com' });
      expect(await examine(env)).toMatchObject({ code, wrong });
    } finally {
      server.close();
    }
  });

  it('reports a mail server that refuses connections', async () => {
    const env = settings({ SMTP_URL: `smtp://user:${PASSWORD}@127.0.0.1:1`, MAIL_FROM: 'a@example.com' });
    const { code, wrong } = await examine(env);
    expect(code).toBe(1);
    expect(wrong).toEqual([
      expect.stringMatching(/^error mail: The mail server cannot be reached \(E\w+\)\.$/),
    ]);
  });

  it('reports a key that Stripe rejects', async () => {
    const stripe = await StripeDouble.start();
    try {
      expect(await examine(settings(stripe.env))).toMatchObject({ code: 0, wrong: [] });
      const wrongKey = `sk_test_${PASSWORD.replaceAll('-', '_')}`;
      const { code, wrong } = await examine(settings({ ...stripe.env, STRIPE_SECRET_KEY: wrongKey }));
      expect(code).toBe(1);
      expect(wrong).toEqual(['error processor: The processor stripe rejects the key (api_key_invalid).']);
    } finally {
      await stripe.stop();
    }
  });

  it('compares the mode of the database with that of the processor', async () => {
    const client = new Client({ connectionString: url });
    await client.connect();
    try {
      await client.query("INSERT INTO installation (mode) VALUES ('live')");
      const { code, wrong } = await examine(settings());
      expect(code).toBe(1);
      expect(wrong).toEqual([
        'error mode: The database is in live mode, and the processor sandbox in test mode.',
      ]);
      await client.query("UPDATE installation SET mode = 'test'");
      expect(await examine(settings())).toMatchObject({ code: 0, wrong: [] });
    } finally {
      await client.query('DELETE FROM installation');
      await client.end();
    }
  });

  it('warns of a single admin where a second one has to approve', async () => {
    const client = new Client({ connectionString: url });
    await client.connect();
    const addAdmin = (email: string) =>
      execute(
        () => core,
        ['admin', 'create', '--email', email],
        aTerminal(settings({ ADMIN_PASSWORD: PASSWORD })),
      );
    try {
      expect(await examine(settings({ REQUIRE_APPROVALS: 'true' }))).toMatchObject({ wrong: [] });
      expect(await addAdmin('first@example.com')).toBe(0);
      expect(await examine(settings())).toMatchObject({ wrong: [] });
      expect(await examine(settings({ REQUIRE_APPROVALS: 'true' }))).toMatchObject({
        code: 0,
        wrong: [
          'warning approvers: There is one active admin, so nobody can approve what that admin asks for.',
        ],
      });
      expect(await addAdmin('second@example.com')).toBe(0);
      expect(await examine(settings({ REQUIRE_APPROVALS: 'true' }))).toMatchObject({ code: 0, wrong: [] });
    } finally {
      await client.query('DELETE FROM users');
      await client.end();
    }
  });

  it('runs the checks of extensions, and goes on when one fails', async () => {
    class BankModule {}
    const seen: CheckContext[] = [];
    const service = defineService({
      extensions: [
        {
          module: BankModule,
          healthChecks: [
            { name: 'bank', run: () => Promise.reject(new Error(PASSWORD)) },
            { name: 'vault', run: async (context) => [ok(`${seen.push(context)} vault`)] },
          ],
        },
      ],
    });
    const { code, checks, wrong } = await examine(settings(), service);
    expect({ code, wrong }).toEqual({ code: 1, wrong: ['error bank: The check failed (Error).'] });
    expect(checks.slice(-2)).toEqual(['bank', 'vault']);
    expect(await seen[0]!.query!('SELECT 1 AS one').catch(() => 'closed')).toBe('closed');
  });
});
