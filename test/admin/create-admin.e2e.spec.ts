import { execFile } from 'node:child_process';
import * as fs from 'node:fs';
import * as os from 'node:os';
import path from 'node:path';
import { Client } from 'pg';
import {
  EmbeddedPostgres,
  startEmbeddedPostgres,
} from '../../src/platform/database/embedded/embedded-postgres';
import { compile } from '../support/compiled';
import { logIn, someEmail } from '../support/people';
import { startTestService, TestService } from '../support/service';

/** The command as the shell runs it: a process of its own, on a database that is given or embedded. */
const REPOSITORY = path.resolve(__dirname, '../..');
const PASSWORD = 'open sesame and more';

let scratch: string;

beforeAll(() => {
  // Real and passable for others, so that as root, too, the data stays where the test puts it.
  scratch = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'create-admin-')));
  fs.chmodSync(scratch, 0o711);
  for (const folder of ['src', 'migrations']) compile(folder, scratch);
  fs.symlinkSync(path.join(REPOSITORY, 'node_modules'), path.join(scratch, 'node_modules'));
});

afterAll(() => fs.rmSync(scratch, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }));

describe('on a database that is given', () => {
  let service: TestService;

  beforeAll(async () => {
    service = await startTestService();
  });
  afterAll(() => service.stop());

  const given = (email: string, password = PASSWORD) =>
    createAdmin({
      DATABASE_URL: service.databaseUrl,
      JWT_SECRETS: 'a secret of the command that signs nothing',
      ADMIN_EMAIL: email,
      ADMIN_PASSWORD: password,
    });

  it('creates an admin, who signs in and does what admins do', async () => {
    const email = someEmail();
    expect(await given(email)).toEqual({ code: 0, out: `The admin ${email} was created.\n`, err: '' });
    const admin = await logIn(service.api, email, PASSWORD);
    expect((await admin.api.get('/v1/accounts')).status).toBe(200);
  });

  it('changes nothing about a user who is there', async () => {
    const email = someEmail();
    await given(email);
    expect(await given(email.toUpperCase(), 'quite another password')).toEqual({
      code: 0,
      out: `Nothing was changed: a user with the email ${email.toUpperCase()} exists already.\n`,
      err: '',
    });
    expect((await logIn(service.api, email, PASSWORD)).email).toBe(email);
  });

  it('refuses a weak password, in one line that does not show it', async () => {
    expect(await given(someEmail(), 'password1')).toEqual({
      code: 1,
      out: '',
      err: 'The admin cannot be created. ADMIN_EMAIL, ADMIN_PASSWORD: password is one of the most common ones; choose another.\n',
    });
  });
});

describe('on the embedded database', () => {
  const embedded = (dataDir: string, email: string) =>
    createAdmin({ DATA_DIR: dataDir, ADMIN_EMAIL: email, ADMIN_PASSWORD: PASSWORD });

  it('makes the database where there is none, and leaves nothing running', async () => {
    const dataDir = path.join(scratch, 'fresh');
    const email = someEmail();
    expect(await embedded(dataDir, email)).toMatchObject({ code: 0, err: '' });
    expect(fs.existsSync(path.join(dataDir, 'postgres', 'postmaster.pid'))).toBe(false);
    await served(dataDir, async ({ url }) => expect(await admins(url)).toEqual([email]));
  });

  it('works beside the service that has the folder', async () => {
    const dataDir = path.join(scratch, 'in-use');
    const email = someEmail();
    await served(dataDir, async ({ url }) => {
      expect(await embedded(dataDir, email)).toMatchObject({ code: 0, err: '' });
      expect(await admins(url)).toEqual([email]);
    });
  });

  it('is not misled by the note of a server that is gone', async () => {
    const dataDir = path.join(scratch, 'crashed');
    const note = path.join(dataDir, 'postgres', 'postmaster.pid');
    let left = '';
    await served(dataDir, async () => void (left = fs.readFileSync(note, 'utf8')));
    fs.writeFileSync(note, left);
    expect(await embedded(dataDir, someEmail())).toMatchObject({ code: 0, err: '' });
  });
});

it('wants both the email and the password', async () => {
  expect(await createAdmin({ DATA_DIR: path.join(scratch, 'unused') })).toEqual({
    code: 1,
    out: '',
    err: 'The admin cannot be created. ADMIN_EMAIL, ADMIN_PASSWORD: the admin to create must be given by both\n',
  });
});

interface Ended {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs the command and waits for it to end by itself. */
function createAdmin(settings: NodeJS.ProcessEnv): Promise<Ended> {
  const env = { PATH: process.env['PATH'], BCRYPT_COST: '4', ...settings };
  return new Promise((resolve) => {
    const args = [path.join(scratch, 'src', 'create-admin.js')];
    execFile(process.execPath, args, { env, cwd: scratch, timeout: 25_000 }, (error, out, err) =>
      resolve({ code: error === null ? 0 : Number(error.code ?? -1), out, err }),
    );
  });
}

/** The server of a data folder, as a service has it while it runs. */
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
