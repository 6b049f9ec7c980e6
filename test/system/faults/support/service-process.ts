import { ChildProcess, execFile, execFileSync, spawn } from 'node:child_process';
import * as fs from 'node:fs';
import * as os from 'node:os';
import path from 'node:path';
import { Client } from 'pg';
import { runningPostgresUrl } from '../../../../src/embedded-postgres/server-address';
import { compile } from '../../../support/compiled';
import { ADMIN } from '../../../support/service';
import { until } from './form';
import { Row } from './history';

const REPOSITORY = path.resolve(__dirname, '../../../..');

const SETTINGS = {
  PATH: process.env['PATH'],
  PORT: '0',
  BCRYPT_COST: '4',
  LOG_LEVEL: 'silent',
  ADMIN_EMAIL: ADMIN.email,
  ADMIN_PASSWORD: ADMIN.password,
  ACCESS_TOKEN_TTL: '86400', // one login is sufficient for a long run
  SETTLEMENT_DELAY_SECONDS: '1', // transactions settle while processes are killed
};

interface End {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

interface ServiceProcess {
  readonly pid: number;
  /** The URL, once the service is listening. Rejects with the output when the process ends before. */
  readonly url: Promise<string>;
  readonly ended: Promise<End>;
  /** The output of the process. */
  output(): string;
  signal(name: NodeJS.Signals): Promise<End>;
}

/**
 * The service as a separate process with its own embedded, durable PostgreSQL. It runs from its own build, because
 * another test run may replace `dist`.
 */
export class Installation {
  private readonly children: ChildProcess[] = [];

  private constructor(
    private readonly folder: string,
    readonly dataDir: string,
  ) {}

  static create(): Installation {
    // A real path that other accounts can access, so that the data also stays there when running as root.
    const folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'countinghouse-faults-')));
    fs.chmodSync(folder, 0o711);
    for (const sources of ['src', 'migrations']) compile(sources, folder);
    fs.symlinkSync(path.join(REPOSITORY, 'node_modules'), path.join(folder, 'node_modules'));
    return new Installation(folder, path.join(folder, 'data'));
  }

  /**
   * Starts the service. It is listening when `url` resolves.
   * @param settings override the settings of all fault tests
   */
  start(settings: NodeJS.ProcessEnv = {}): ServiceProcess {
    const child = spawn(process.execPath, [path.join(this.folder, 'src', 'main.js')], {
      cwd: this.folder,
      env: { ...SETTINGS, DATA_DIR: this.dataDir, ...settings },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.children.push(child);
    let output = '';
    const ended = new Promise<End>((resolve) =>
      child.once('close', (code, signal) => resolve({ code, signal })),
    );
    const url = new Promise<string>((resolve, reject) => {
      child.stderr.on('data', (chunk) => (output += chunk));
      child.stdout.on('data', (chunk) => {
        const found = /listens on (\S+)/.exec((output += chunk));
        if (found) resolve(found[1]!);
      });
      void ended.then(({ code, signal }) => reject(new Error(`It ended with ${code ?? signal}: ${output}`)));
    });
    url.catch(() => undefined); // callers that need the URL handle the rejection
    const signal = (name: NodeJS.Signals): Promise<End> => {
      child.kill(name);
      return ended;
    };
    return { pid: child.pid!, url, ended, output: () => output, signal };
  }

  /** The pid of the database server, which is the first line of postmaster.pid. */
  serverPid(): number {
    return Number(
      fs.readFileSync(path.join(this.dataDir, 'postgres', 'postmaster.pid'), 'utf8').split('\n')[0],
    );
  }

  /** The pid of the watchdog, which locks the folder and stops the server when the service has ended. */
  watchdogPid(): number {
    return Number(execFileSync('ps', ['-o', 'ppid=', '-p', String(this.serverPid())], { encoding: 'utf8' }));
  }

  /** Runs SQL on the service's database. */
  async sql<StoredResponse extends object>(text: string): Promise<StoredResponse[]> {
    const client = await this.connect();
    try {
      return (await client.query<StoredResponse>(text)).rows;
    } finally {
      await client.end();
    }
  }

  /** Connects to the database. Retries, because the database may be in recovery after a fault. */
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

  /** Returns all stored creations. */
  rows(): Promise<Row[]> {
    return this.sql<Row>(
      `SELECT id, reference FROM transactions WHERE reference IS NOT NULL
       UNION ALL SELECT id, reference FROM transfers WHERE direction = 'out'`,
    );
  }

  /** Runs `npm run ledger:verify`. @returns its exit code and last line */
  verify(): Promise<{ code: number; verdict: string }> {
    const env = { PATH: process.env['PATH'], DATA_DIR: this.dataDir, LOG_LEVEL: 'silent' };
    return new Promise((resolve) => {
      const command = [path.join(this.folder, 'src', 'main.js'), 'ledger:verify'];
      execFile(process.execPath, command, { cwd: this.folder, env }, (error, out, err) =>
        resolve({ code: error === null ? 0 : Number(error.code ?? -1), verdict: out.trim() || err }),
      );
    });
  }

  /** Whether a database server is running in the folder. */
  isServed(): boolean {
    return fs.existsSync(path.join(this.dataDir, 'postgres', 'postmaster.pid')) && isAlive(this.serverPid());
  }

  async remove(): Promise<void> {
    for (const child of this.children) child.kill('SIGKILL');
    await until('the database is gone', () => !this.isServed());
    fs.rmSync(this.folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  }
}

/** Whether the process is running. In a container without an init process, exited processes remain as zombies. */
export function isAlive(pid: number): boolean {
  try {
    return !execFileSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' }).startsWith('Z');
  } catch {
    return false;
  }
}
