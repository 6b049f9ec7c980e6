import { execFile } from 'node:child_process';
import * as fs from 'node:fs';
import * as os from 'node:os';
import path from 'node:path';
import { Client } from 'pg';
import { EmbeddedPostgres, startEmbeddedPostgres } from '../../src/embedded-postgres/embedded-postgres';
import { compile } from '../support/compiled';
import { logIn, someEmail } from '../support/people';
import { startTestService, TestService } from '../support/service';

/** Runs the command in a process of its own, with a configured or the embedded database. */
const REPOSITORY = path.resolve(__dirname, '../..');
const PASSWORD = 'open sesame and more';

let scratch: string;

beforeAll(() => {
  // A real path that other accounts can access, so that the data also stays there when running as root.
  scratch = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'create-admin-')));
  fs.chmodSync(scratch, 0o711);
  for (const folder of ['src', 'migrations']) compile(folder, scratch);
  fs.symlinkSync(path.join(REPOSITORY, 'node_modules'), path.join(scratch, 'node_modules'));
});

afterAll(() => fs.rmSync(scratch, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }));

describe('create-admin with a configured database', () => {
  let service: TestService;

  beforeAll(async () => {
    service = await startTestService();
  });
  afterAll(() => service.stop());

  const run = (email: string, password = PASSWORD) =>
    createAdmin({
      DATABASE_URL: service.databaseUrl,
      JWT_SECRETS: 'a secret of the command that signs nothing',
      ADMIN_EMAIL: email,
      ADMIN_PASSWORD: password,
    });

  it('creates an admin who can log in and use admin operations', async () => {
    const email = someEmail();
    expect(await run(email)).toEqual({ code: 0, out: `The admin ${email} was created.\n`, err: '' });
    const admin = await logIn(service.api, email, PASSWORD);
    expect((await admin.api.get('/v1/accounts')).status).toBe(200);
  });

  it('does not change an existing user', async () => {
    const email = someEmail();
    await run(email);
    expect(await run(email.toUpperCase(), 'quite another password')).toEqual({
      code: 0,
      out: `Nothing was changed: a user with the email ${email.toUpperCase()} exists already.\n`,
      err: '',
    });
    expect((await logIn(service.api, email, PASSWORD)).email).toBe(email);
  });

  it('rejects a weak password without printing it', async () => {
    expect(await run(someEmail(), 'password1')).toEqual({
      code: 1,
      out: '',
      err: 'The admin cannot be created. ADMIN_EMAIL, ADMIN_PASSWORD: password is one of the most common passwords; choose another.\n',
    });
  });
});

describe('create-admin with the embedded database', () => {
  let dataDir: string;
  const run = (email: string) =>
    createAdmin({ DATA_DIR: dataDir, ADMIN_EMAIL: email, ADMIN_PASSWORD: PASSWORD });

  beforeAll(() => {
    dataDir = path.join(scratch, 'data');
  });

  it('creates the database and stops it afterwards', async () => {
    const email = someEmail();
    expect(await run(email)).toMatchObject({ code: 0, err: '' });
    expect(fs.existsSync(path.join(dataDir, 'postgres', 'postmaster.pid'))).toBe(false);
    await served(dataDir, async ({ url }) => expect(await admins(url)).toEqual([email]));
  });

  it('uses the database of a running service', async () => {
    const email = someEmail();
    await served(dataDir, async ({ url }) => {
      expect(await run(email)).toMatchObject({ code: 0, err: '' });
      expect(await admins(url)).toContain(email);
    });
  });

  it('ignores the pid file of a server that has crashed', async () => {
    const pidFile = path.join(dataDir, 'postgres', 'postmaster.pid');
    let content = '';
    await served(dataDir, async () => void (content = fs.readFileSync(pidFile, 'utf8')));
    fs.writeFileSync(pidFile, content);
    expect(await run(someEmail())).toMatchObject({ code: 0, err: '' });
  });
});

it('create-admin requires the email', async () => {
  expect(await createAdmin({ DATA_DIR: path.join(scratch, 'unused') })).toEqual({
    code: 2,
    out: '',
    err: 'Name the admin with --email, or with ADMIN_EMAIL.\n',
  });
});

interface Ended {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs the command and waits for it to exit. */
function createAdmin(settings: NodeJS.ProcessEnv): Promise<Ended> {
  const env = { PATH: process.env['PATH'], BCRYPT_COST: '4', ...settings };
  return new Promise((resolve) => {
    const args = [path.join(scratch, 'src', 'main.js'), 'admin:create'];
    execFile(process.execPath, args, { env, cwd: scratch, timeout: 110_000 }, (error, out, err) =>
      resolve({ code: error === null ? 0 : Number(error.code ?? -1), out, err }),
    );
  });
}

/** Starts the server of a data folder for the duration of `work`. */
async function served(dataDir: string, work: (server: EmbeddedPostgres) => Promise<void>): Promise<void> {
  const server = await startEmbeddedPostgres({ dataDir, fsync: false });
  try {
    await work(server);
  } finally {
    await server.stop();
  }
}

async function admins(url: string): Promise<string[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ email: string }>(
      `SELECT email FROM users WHERE role = 'admin' AND status = 'active'`,
    );
    return rows.map((row) => row.email);
  } finally {
    await client.end();
  }
}
