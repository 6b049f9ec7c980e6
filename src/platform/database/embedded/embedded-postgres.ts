import * as fs from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { type DataFolder, binariesShelf, lstat, putUpSignpost, settleDataFolder } from './data-folder';
import { ensureCluster, whatWentWrong } from './database-cluster';
import { EmbeddedPostgresError, USE_ANOTHER_SERVER } from './embedded-postgres.error';
import { readServerNote, stopLeftoverServer } from './leftover-server';
import { type PostgresBinaries, findPostgresBinaries } from './postgres-binaries';
import { type ServerAddress, prepareAddress } from './server-address';
import { serverEnvironment } from './server-environment';
import { type ServerCommand, type ServerRun, WatchdogProcess } from './watchdog-process';

export { EmbeddedPostgresError };

/** A running PostgreSQL server with a database of its own, for a service that has been given none. */
export interface EmbeddedPostgres {
  /** For `pg`'s `connectionString`; on Windows it contains the password. The same after a restart of the server. */
  readonly url: string;
  /** Fast shutdown: open transactions roll back. Resolves when the server is gone and the folder is free. */
  stop(): Promise<void>;
}

interface EmbeddedPostgresOptions {
  /** The cluster goes to `postgres` in this folder. The folder may be missing, its parent may not. */
  readonly dataDir: string;
  /** Default true. False loses data in a crash of the machine: for test runs only. */
  readonly fsync?: boolean;
  /** Receives one-line notices for the operator, now and after the start. */
  readonly say?: (line: string) => void;
}

/** No SQL and no values may reach the log: errors are for the service to report, which knows what is secret. */
const SETTINGS: Readonly<Record<string, string>> = {
  max_connections: '100',
  shared_buffers: '128MB',
  timezone: 'UTC',
  log_timezone: 'UTC',
  log_destination: 'stderr',
  logging_collector: 'off',
  log_checkpoints: 'off',
  log_error_verbosity: 'terse',
  log_min_duration_statement: '-1',
  log_min_error_statement: 'panic',
  log_min_messages: 'log',
  log_statement: 'none',
};
const CARELESS_SETTINGS: Readonly<Record<string, string>> = {
  fsync: 'off',
  full_page_writes: 'off',
  synchronous_commit: 'off',
};

/** A server that shows no sign of life for so long is given up. Recovery writes to the log every 10 s. */
const SILENCE_MS = 60_000;
const FIRST_RESTART_AFTER_MS = 100;
const LONGEST_PAUSE_MS = 10_000;

/**
 * Starts the database server of this data folder, and makes the database first when there is none.
 *
 * One service at a time has the folder; a second start on it is refused. The server ends when the service
 * ends, however that ends (watchdog.js). When only the server is killed it is back within about a second,
 * after recovery: connections that were open are lost, new ones succeed again, so a pool recovers by itself.
 * When only the watchdog is killed the same happens, because a server without one would outlive the service.
 *
 * @throws EmbeddedPostgresError with one line that says what to do
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const say = options.say ?? ((): void => undefined);
  const folder = settleDataFolder(options.dataDir, say);
  const binaries = findPostgresBinaries(folder.account, () => binariesShelf(folder.home));
  const server = new SupervisedServer(folder, binaries, options.fsync ?? true, say);
  await server.start();
  return { url: server.url, stop: () => server.stop() };
}

class SupervisedServer {
  private watchdog: WatchdogProcess | undefined;
  private address: ServerAddress | undefined;
  private readonly ending = new AbortController();
  private readySince: number | undefined;
  private restarting: Promise<void> | undefined;
  private stopped: Promise<void> | undefined;
  private restartDelay = FIRST_RESTART_AFTER_MS;

  constructor(
    private readonly folder: DataFolder,
    private readonly binaries: PostgresBinaries,
    private readonly fsync: boolean,
    private readonly say: (line: string) => void,
  ) {}

  get url(): string {
    return this.address?.url ?? '';
  }

  async start(): Promise<void> {
    try {
      await this.holdFolder();
      await ensureCluster(this.folder, this.binaries, this.fsync);
      putUpSignpost(this.folder);
      keepLastLog(this.folder.log);
      await this.serve();
    } catch (error) {
      await this.stop();
      throw error;
    }
  }

  stop(): Promise<void> {
    this.stopped ??= this.stopOnce();
    return this.stopped;
  }

  private async stopOnce(): Promise<void> {
    this.ending.abort();
    await this.restarting;
    if (this.watchdog?.isGone) await this.endOrphan();
    await this.watchdog?.stop();
  }

  /** The watchdog was killed and its server not yet restarted under a new one. */
  private async endOrphan(): Promise<void> {
    try {
      await this.holdFolder();
      await stopLeftoverServer(this.folder.cluster, this.binaries);
      const socketFolder = this.address?.socketFolder;
      if (socketFolder !== undefined) fs.rmSync(socketFolder, { recursive: true, force: true });
    } catch (error) {
      // The folder may meanwhile be another service's, whose start has ended that server.
      this.say((error as Error).message);
    }
  }

  private async holdFolder(): Promise<void> {
    if (this.watchdog !== undefined && !this.watchdog.isGone) return;
    this.watchdog = await WatchdogProcess.holding(this.folder.home, (how) => this.noticeLoss(how));
  }

  private async serve(): Promise<void> {
    const { watchdog, folder, binaries } = this;
    if (watchdog === undefined) return;
    await stopLeftoverServer(folder.cluster, binaries);
    this.address ??= await prepareAddress(folder);
    const run = await watchdog.start(serverCommand(folder, binaries, this.address, this.fsync));
    await untilReady(run, folder);
    this.readySince = performance.now();
    watchdog.letServiceEnd();
  }

  private noticeLoss(how: string): void {
    if (this.readySince === undefined || this.ending.signal.aborted) return;
    const livedLong = performance.now() - this.readySince > LONGEST_PAUSE_MS;
    this.restartDelay = livedLong
      ? FIRST_RESTART_AFTER_MS
      : Math.min(this.restartDelay * 2, LONGEST_PAUSE_MS);
    this.readySince = undefined;
    this.say(`The database server ${how}; it is being restarted.`);
    this.restarting = this.restart();
  }

  /** Goes on until it succeeds: what stops a server, such as a full disk, may be put right while the service waits. */
  private async restart(): Promise<void> {
    let lastReason = '';
    while (!this.ending.signal.aborted) {
      try {
        await pause(this.restartDelay, undefined, { signal: this.ending.signal });
        await this.holdFolder();
        await this.serve();
        return this.say('The database server is back.');
      } catch (error) {
        const reason = (error as Error).message;
        if (reason !== lastReason && !this.ending.signal.aborted) this.say(reason);
        lastReason = reason;
        this.restartDelay = Math.min(this.restartDelay * 2, LONGEST_PAUSE_MS);
      }
    }
  }
}

function serverCommand(
  folder: DataFolder,
  binaries: PostgresBinaries,
  address: ServerAddress,
  fsync: boolean,
): ServerCommand {
  const { cluster, log, account } = folder;
  const settings = { ...SETTINGS, ...(fsync ? {} : CARELESS_SETTINGS), ...address.settings };
  return {
    program: binaries.postgres,
    args: ['-D', cluster, ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])],
    // A pid file left by a crash may hold what is now the service's own pid; the server then knows it as no rival.
    env: { ...serverEnvironment(), PG_GRANDPARENT_PID: String(process.pid) },
    uid: account.uid,
    gid: account.gid,
    log,
    stopCommand:
      process.platform === 'win32'
        ? { program: binaries.pgCtl, args: ['stop', '-D', cluster, '-m', 'fast'] }
        : undefined,
    ownFolder: address.socketFolder,
  };
}

async function untilReady(run: ServerRun, { cluster, log }: DataFolder): Promise<void> {
  let seen = '';
  let givenUpAt = 0;
  while (run.ended === undefined) {
    const note = readServerNote(cluster);
    if (note?.pid === run.pid && note.status === 'ready') return;
    const signsOfLife = `${note?.status} ${lstat(log)?.size}`;
    if (signsOfLife !== seen) givenUpAt = performance.now() + SILENCE_MS;
    else if (performance.now() > givenUpAt) break;
    seen = signsOfLife;
    await pause(5);
  }
  throw new EmbeddedPostgresError(
    `The database server ${run.ended ?? 'does not get ready'} (${lastWords(log)}): see ${log}, ${USE_ANOTHER_SERVER}`,
  );
}

/** The log starts afresh with every start, so it stays small; the run before is kept, as it may tell of a crash. */
function keepLastLog(log: string): void {
  if (lstat(log) !== undefined) fs.renameSync(log, `${log}.1`);
}

function lastWords(log: string): string {
  const text = lstat(log) === undefined ? '' : fs.readFileSync(log, 'utf8').slice(-4000);
  return whatWentWrong(text).at(-1) ?? 'its log is empty';
}
