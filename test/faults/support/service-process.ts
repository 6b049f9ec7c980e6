import { ChildProcess, execFile, execFileSync, spawn } from 'node:child_process';
import * as fs from 'node:fs';
import * as os from 'node:os';
import path from 'node:path';
import { Client } from 'pg';
import { runningPostgresUrl } from '../../../src/platform/database/embedded/running-postgres';
import { compile } from '../../support/compiled';
import { ADMIN } from '../../support/service';
import { until } from './form';
import { Row } from './history';

const REPOSITORY = path.resolve(__dirname, '../../..');

const SETTINGS = {
  PATH: process.env['PATH'],
  PORT: '0',
  BCRYPT_COST: '4',
  LOG_LEVEL: 'silent',
  ADMIN_EMAIL: ADMIN.email,
  ADMIN_PASSWORD: ADMIN.password,
  ACCESS_TOKEN_TTL: '86400', // so that a long run needs one login
  SETTLEMENT_DELAY_SECONDS: '1', // so that the sweep settles while processes die
};

interface End {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

interface ServiceProcess {
  readonly pid: number;
  /** Where it listens, once it does. Fails when it ends before, with what it said about why. */
  readonly url: Promise<string>;
  readonly ended: Promise<End>;
  /** All that it wrote. */
  said(): string;
  signal(name: NodeJS.Signals): Promise<End>;
}

/**
 * The service as its users run it: a process of its own with its embedded, syncing PostgreSQL in a folder of its own.
 * It runs from a build of its own too, since another run may be replacing `dist`.
 */
export class Installation {
  private readonly children: ChildProcess[] = [];

  private constructor(
    private readonly folder: string,
    readonly dataDir: string,
  ) {}

  static create(): Installation {
    // Real and passable for others, so that as root, too, the data stays where the test puts it.
    const folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'countinghouse-faults-')));
    fs.chmodSync(folder, 0o711);
    for (const sources of ['src', 'migrations']) compile(sources, folder);
    fs.symlinkSync(path.join(REPOSITORY, 'node_modules'), path.join(folder, 'node_modules'));
    return new Installation(folder, path.join(folder, 'data'));
  }

  /** Starts the service; it listens when `url` resolves. */
  start(): ServiceProcess {
    const child = spawn(process.execPath, [path.join(this.folder, 'src', 'main.js')], {
      cwd: this.folder,
      env: { ...SETTINGS, DATA_DIR: this.dataDir },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.children.push(child);
    let said = '';
    const ended = new Promise<End>((resolve) =>
      child.once('close', (code, signal) => resolve({ code, signal })),
    );
    const url = new Promise<string>((resolve, reject) => {
      child.stderr.on('data', (chunk) => (said += chunk));
      child.stdout.on('data', (chunk) => {
        const found = /listens on (\S+)/.exec((said += chunk));
        if (found) resolve(found[1]!);
      });
      void ended.then(({ code, signal }) => reject(new Error(`It ended with ${code ?? signal}: ${said}`)));
    });
    url.catch(() => undefined); // who needs the address awaits it
    const signal = (name: NodeJS.Signals): Promise<End> => {
      child.kill(name);
      return ended;
    };
    return { pid: child.pid!, url, ended, said: () => said, signal };
  }

  /** The pid of the database server, which is its folder's first word. */
  serverPid(): number {
    return Number(
      fs.readFileSync(path.join(this.dataDir, 'postgres', 'postmaster.pid'), 'utf8').split('\n')[0],
    );
  }

  /** The process that holds the folder and stops the server when the service is gone. */
  watchdogPid(): number {
    return Number(execFileSync('ps', ['-o', 'ppid=', '-p', String(this.serverPid())], { encoding: 'utf8' }));
  }

  /** Runs SQL beside the service. */
  async sql<Answer extends object>(text: string): Promise<Answer[]> {
    const client = await this.connect();
    try {
      return (await client.query<Answer>(text)).rows;
    } finally {
      await client.end();
    }
  }

  /** A connection of one's own, as soon as the database takes one: right after a fault it may be recovering. */
  connect(): Promise<Client> {
    return until('the database takes connections', async () => {
      const url = await runningPostgresUrl(this.dataDir);
      if (url === null) return null;
      const client = new Client({ connectionString: url });
      client.on('error', () => undefined);
      return client.connect().then(
        () => client,
        () => null,
      );
    });
  }

  /** All creates that are stored. */
  rows(): Promise<Row[]> {
    return this.sql<Row>('SELECT id, reference FROM transactions WHERE reference IS NOT NULL');
  }

  /** `npm run ledger:verify`: its exit code and its last line. */
  verify(): Promise<{ code: number; verdict: string }> {
    const env = { PATH: process.env['PATH'], DATA_DIR: this.dataDir, LOG_LEVEL: 'silent' };
    return new Promise((resolve) => {
      const command = [path.join(this.folder, 'src', 'verify-ledger.js')];
      execFile(process.execPath, command, { cwd: this.folder, env }, (error, out, err) =>
        resolve({ code: error === null ? 0 : Number(error.code ?? -1), verdict: out.trim() || err }),
      );
    });
  }

  /** Whether a database server runs in the folder. */
  isServed(): boolean {
    return fs.existsSync(path.join(this.dataDir, 'postgres', 'postmaster.pid')) && isAlive(this.serverPid());
  }

  async remove(): Promise<void> {
    for (const child of this.children) child.kill('SIGKILL');
    await until('the database is gone', () => !this.isServed());
    fs.rmSync(this.folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  }
}

/** In a container nobody may collect the dead, who then keep their pid. */
export function isAlive(pid: number): boolean {
  try {
    return !execFileSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' }).startsWith('Z');
  } catch {
    return false;
  }
}
