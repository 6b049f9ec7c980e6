import * as fs from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { type DataFolder, binaryCacheFolder, createSymlink, lstat, resolveDataFolder } from './data-folder';
import { ensureCluster, errorLines, removeCluster } from './database-cluster';
import { EmbeddedPostgresError, USE_ANOTHER_SERVER } from './embedded-postgres.error';
import { readPostmasterPid, stopOrphanedServer } from './orphaned-server';
import { type PostgresBinaries, findPostgresBinaries } from './postgres-binaries';
import { type ServerAddress, databaseUrl, prepareAddress } from './server-address';
import { serverEnvironment } from './server-account';
import { type ServerCommand, type ServerRun, type Sharing, WatchdogProcess } from './watchdog-process';

export { EmbeddedPostgresError };

/** A running PostgreSQL server with its own database, for a service without a configured one. */
export interface EmbeddedPostgres {
  /** The connection string for `pg`. A restart of the server does not change it. On Windows it contains the password. */
  readonly url: string;
  /** Shuts the server down in fast mode, which rolls back open transactions. Resolves when the folder is unlocked. */
  stop(): Promise<void>;
}

interface EmbeddedPostgresOptions {
  /** The cluster is stored in `postgres` in this folder. The folder is created if its parent exists. */
  readonly dataDir: string;
  /** Default: true. With false a crash of the machine loses data; use it only in tests. */
  readonly fsync?: boolean;
  /**
   * Whether the data ends with the server: it is not flushed to disk, what an earlier server has left is discarded, and
   * the folder is removed after the server has stopped, also when the service was killed.
   */
  readonly temporary?: boolean;
  /** Lets other processes use the server, which then outlives this one: see `Sharing`. Only for temporary data. */
  readonly sharing?: Omit<Sharing, 'url'>;
  /** Receives one-line messages for the operator, during the start and later. */
  readonly print?: (line: string) => void;
}

/** SQL and values are kept out of the server's log. The service logs errors, because it knows what is secret. */
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
const NON_DURABLE_SETTINGS: Readonly<Record<string, string>> = {
  fsync: 'off',
  full_page_writes: 'off',
  synchronous_commit: 'off',
};
/** Each of many services has a pool of connections. */
const SHARED_SETTINGS: Readonly<Record<string, string>> = { max_connections: '1000' };

/** A start fails after this time without progress. Crash recovery writes to the log every 10 s. */
const START_TIMEOUT_MS = 60_000;
const MIN_RESTART_DELAY_MS = 100;
const MAX_RESTART_DELAY_MS = 10_000;

/**
 * Starts the database server of a data folder. Creates the database if the folder does not contain one.
 *
 * A data folder is locked by one service at a time; starting a second one fails. The server stops when the service
 * ends for any reason, including SIGKILL (see watchdog.js).
 *
 * If the server process is killed, it is restarted within about a second: open connections are lost and a connection
 * pool reconnects. If the watchdog is killed, both are restarted, because a server without a watchdog would outlive the
 * service.
 *
 * @throws EmbeddedPostgresError with a one-line message that states what the operator can do
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const print = options.print ?? ((): void => undefined);
  const folder = resolveDataFolder(options.dataDir, print);
  const binaries = findPostgresBinaries(folder.account, () => binaryCacheFolder(folder.home));
  const fsync = options.fsync ?? !options.temporary;
  const server = new SupervisedServer(folder, binaries, { ...options, fsync }, print);
  await server.start();
  return { url: server.url, stop: () => server.stop() };
}

class SupervisedServer {
  private watchdog: WatchdogProcess | undefined;
  private address: ServerAddress | undefined;
  private readonly shutdown = new AbortController();
  private readySince: number | undefined;
  private restarting: Promise<void> | undefined;
  private stopped: Promise<void> | undefined;
  private restartDelay = MIN_RESTART_DELAY_MS;

  constructor(
    private readonly folder: DataFolder,
    private readonly binaries: PostgresBinaries,
    private readonly options: EmbeddedPostgresOptions & { readonly fsync: boolean },
    private readonly print: (line: string) => void,
  ) {}

  get url(): string {
    return this.address?.url ?? '';
  }

  async start(): Promise<void> {
    try {
      await this.lockFolder();
      if (this.options.temporary) await removeCluster(this.folder, this.binaries);
      await ensureCluster(this.folder, this.binaries, this.options.fsync);
      createSymlink(this.folder);
      rotateLog(this.folder.log);
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
    this.shutdown.abort();
    await this.restarting;
    if (this.watchdog?.hasExited) await this.stopOrphan();
    await this.watchdog?.stop();
  }

  /** Stops a server whose watchdog was killed and which has not been restarted under a new watchdog. */
  private async stopOrphan(): Promise<void> {
    try {
      await this.lockFolder();
      await stopOrphanedServer(this.folder.cluster, this.binaries);
      const socketFolder = this.address?.socketFolder;
      if (socketFolder !== undefined) fs.rmSync(socketFolder, { recursive: true, force: true });
    } catch (error) {
      // Another service may have locked the folder by now. Its start has stopped the orphaned server.
      this.print((error as Error).message);
    }
  }

  private async lockFolder(): Promise<void> {
    if (this.watchdog !== undefined && !this.watchdog.hasExited) return;
    this.watchdog = await WatchdogProcess.lock(this.folder.home, (reason) => this.handleLoss(reason));
  }

  private async serve(): Promise<void> {
    const { watchdog, folder, binaries } = this;
    if (watchdog === undefined) return;
    await stopOrphanedServer(folder.cluster, binaries);
    this.address ??= await prepareAddress(folder);
    const run = await watchdog.start(serverCommand(folder, binaries, this.address, this.options));
    await untilReady(run, folder);
    this.readySince = performance.now();
    watchdog.unref();
  }

  private handleLoss(reason: string): void {
    if (this.readySince === undefined || this.shutdown.signal.aborted) return;
    const wasStable = performance.now() - this.readySince > MAX_RESTART_DELAY_MS;
    this.restartDelay = wasStable
      ? MIN_RESTART_DELAY_MS
      : Math.min(this.restartDelay * 2, MAX_RESTART_DELAY_MS);
    this.readySince = undefined;
    this.print(`The database server ${reason} and is being restarted.`);
    this.restarting = this.restart();
  }

  /** Retries until it succeeds, because the operator may fix the cause, such as a full disk, in the meantime. */
  private async restart(): Promise<void> {
    let lastReason = '';
    while (!this.shutdown.signal.aborted) {
      try {
        await pause(this.restartDelay, undefined, { signal: this.shutdown.signal });
        await this.lockFolder();
        await this.serve();
        return this.print('The database server has been restarted.');
      } catch (error) {
        const reason = (error as Error).message;
        if (reason !== lastReason && !this.shutdown.signal.aborted) this.print(reason);
        lastReason = reason;
        this.restartDelay = Math.min(this.restartDelay * 2, MAX_RESTART_DELAY_MS);
      }
    }
  }
}

function serverCommand(
  folder: DataFolder,
  binaries: PostgresBinaries,
  address: ServerAddress,
  { fsync, temporary, sharing }: EmbeddedPostgresOptions,
): ServerCommand {
  const { cluster, log, account } = folder;
  const settings = {
    ...SETTINGS,
    ...(!fsync && NON_DURABLE_SETTINGS),
    ...(sharing && SHARED_SETTINGS),
    ...address.settings,
  };
  return {
    program: binaries.postgres,
    args: ['-D', cluster, ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])],
    // After a crash, the pid file may contain the pid that the service has now. The server ignores this pid.
    env: { ...serverEnvironment(), PG_GRANDPARENT_PID: String(process.pid) },
    uid: account.uid,
    gid: account.gid,
    log,
    stopCommand:
      process.platform === 'win32'
        ? { program: binaries.pgCtl, args: ['stop', '-D', cluster, '-m', 'fast'] }
        : undefined,
    socketFolder: address.socketFolder,
    temporary,
    sharing: sharing && { ...sharing, url: databaseUrl(address.url, 'postgres') },
  };
}

async function untilReady(run: ServerRun, { cluster, log }: DataFolder): Promise<void> {
  let lastProgress = '';
  let deadline = 0;
  while (run.ended === undefined) {
    const postmaster = readPostmasterPid(cluster);
    if (postmaster?.pid === run.pid && postmaster.status === 'ready') return;
    const progress = `${postmaster?.status} ${lstat(log)?.size}`;
    if (progress !== lastProgress) deadline = performance.now() + START_TIMEOUT_MS;
    else if (performance.now() > deadline) break;
    lastProgress = progress;
    await pause(5);
  }
  throw new EmbeddedPostgresError(
    `The database server ${run.ended ?? 'did not become ready'} (${lastLogLine(log)}): see ${log}, ${USE_ANOTHER_SERVER}`,
  );
}

/** Starts a new log with every start and keeps the previous one, which may explain a crash. */
function rotateLog(log: string): void {
  if (lstat(log) !== undefined) fs.renameSync(log, `${log}.1`);
}

function lastLogLine(log: string): string {
  const text = lstat(log) === undefined ? '' : fs.readFileSync(log, 'utf8').slice(-4000);
  return errorLines(text).at(-1) ?? 'its log is empty';
}
