import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { EmbeddedPostgresError, FolderLockError, USE_ANOTHER_SERVER } from './embedded-postgres.error';
import { serverEnvironment } from './server-account';

/** The server to start. The watchdog opens the log, so the server's account does not need access to it. */
export interface ServerCommand {
  readonly program: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly uid?: number;
  readonly gid?: number;
  readonly log: string;
  /** The command that shuts the server down on platforms without signals. */
  readonly stopCommand?: { readonly program: string; readonly args: readonly string[] };
  /** Removed after the server has stopped, before the lock is released. */
  readonly socketFolder?: string;
  /** Whether the data folder is removed, too. */
  readonly temporary?: boolean;
  readonly sharing?: Sharing;
}

/** How a server is used by several processes, also after the process that has started it has ended. */
export interface Sharing {
  /** The address of a database that always exists. */
  readonly url: string;
  /** The advisory lock of that database, of which each user holds a share. */
  readonly lock: number;
  /** The server stops when nobody has used it for this time, and the process that has started it has ended. */
  readonly idleSeconds: number;
}

interface WatchdogMessage {
  readonly locked?: true;
  readonly lockedBy?: { readonly servicePid: number | null; readonly shuttingDown: boolean };
  readonly failed?: string;
  readonly started?: number;
  readonly ended?: string;
}

/** One run of the server process. */
export interface ServerRun {
  readonly pid: number;
  /** Why the run ended, as a predicate of "the server"; undefined while it is running. */
  ended?: string;
}

/** The service's side of the IPC channel to watchdog.js, which locks the folder and is the parent of the server. */
export class WatchdogProcess {
  private run: ServerRun | undefined;
  private exited = false;
  private notify: () => void = () => undefined;

  private constructor(
    private readonly child: ChildProcess,
    private readonly onLoss: (reason: string) => void,
  ) {
    child.on('message', (message: WatchdogMessage) => this.handle(message));
    child.on('error', () => undefined);
    child.once('exit', () => {
      this.exited = true;
      this.handleLoss('lost its watchdog');
    });
  }

  /**
   * Starts a watchdog and waits until it has locked the folder.
   * @param onLoss called when the server or the watchdog ends, with the reason as a predicate of "the server"
   * @throws FolderLockError when another running service has locked the folder
   */
  static async lock(home: string, onLoss: (reason: string) => void): Promise<WatchdogProcess> {
    const child = spawn(process.execPath, [path.join(__dirname, 'watchdog.js')], {
      cwd: home,
      detached: true,
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      env: serverEnvironment(),
      windowsHide: true,
    });
    const [message] = (await Promise.race([once(child, 'message'), once(child, 'exit')])) as [
      WatchdogMessage | number | null,
    ];
    if (message === null || typeof message === 'number') {
      throw new EmbeddedPostgresError(
        `The watchdog of the embedded database did not start: try again, ${USE_ANOTHER_SERVER}`,
      );
    }
    if (message.locked === undefined) {
      child.kill('SIGKILL');
      throw new FolderLockError(lockError(home, message));
    }
    return new WatchdogProcess(child, onLoss);
  }

  get hasExited(): boolean {
    return this.exited;
  }

  /** Resolves when the server process has started or failed to start. The server may not accept connections yet. */
  async start(command: ServerCommand): Promise<ServerRun> {
    this.run = undefined;
    const started = new Promise<void>((resolve) => (this.notify = resolve));
    this.send({ run: command });
    if (!this.exited) await started;
    return this.run ?? { pid: 0, ended: 'lost its watchdog' };
  }

  /** Allows the service to exit while the watchdog is running. */
  unref(): void {
    this.child.unref();
    this.child.channel?.unref();
  }

  /** Stops the server, unlocks the folder and waits for both. */
  async stop(): Promise<void> {
    if (this.exited) return;
    this.child.ref();
    const exit = once(this.child, 'exit');
    this.send({ stop: true });
    await exit;
  }

  private send(message: object): void {
    // If the channel has just closed, the exit event reports it.
    if (this.child.connected) this.child.send(message, () => undefined);
  }

  private handle(message: WatchdogMessage): void {
    if (message.started !== undefined) this.run = { pid: message.started };
    if (message.ended !== undefined) this.handleLoss(message.ended);
    this.notify();
  }

  private handleLoss(reason: string): void {
    this.run ??= { pid: 0 };
    this.run.ended ??= reason;
    this.notify();
    this.onLoss(reason);
  }
}

function lockError(home: string, { lockedBy, failed }: WatchdogMessage): string {
  if (lockedBy === undefined) {
    return `The folder ${home} cannot be locked (${failed}): its file system must support sockets. Choose another data folder, ${USE_ANOTHER_SERVER}`;
  }
  const who = lockedBy.servicePid === null ? '' : ` (pid ${lockedBy.servicePid})`;
  return lockedBy.shuttingDown
    ? `The database in ${home} is still being shut down by another Countinghouse${who}: try again in a minute.`
    : `The data folder ${home} is in use by another Countinghouse${who}: stop it, or choose another data folder.`;
}
