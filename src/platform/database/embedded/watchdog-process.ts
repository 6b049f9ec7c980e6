import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { EmbeddedPostgresError, USE_ANOTHER_SERVER } from './embedded-postgres.error';
import { serverEnvironment } from './server-environment';

/** What the watchdog starts. The log is opened by the watchdog, so the server's account need not reach it. */
export interface ServerCommand {
  readonly program: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly uid?: number;
  readonly gid?: number;
  readonly log: string;
  /** Asks the server to shut down, where there are no signals for it. */
  readonly stopCommand?: { readonly program: string; readonly args: readonly string[] };
  /** Removed after the server's end, still under the lock. */
  readonly ownFolder?: string;
}

interface WatchdogMessage {
  readonly locked?: true;
  readonly refused?: { readonly servicePid: number | null; readonly leaving: boolean };
  readonly failed?: string;
  readonly started?: number;
  readonly ended?: string;
}

/** One run of the server under the watchdog. */
export interface ServerRun {
  readonly pid: number;
  /** How the run ended, as words that continue "the server ...". Undefined while it lasts. */
  ended?: string;
}

/** The service's end of the channel to watchdog.js, which holds the folder's lock and is the server's parent. */
export class WatchdogProcess {
  private run: { pid: number; ended?: string } | undefined;
  private gone = false;
  private wake: () => void = () => undefined;

  private constructor(
    private readonly child: ChildProcess,
    private readonly onLoss: (how: string) => void,
  ) {
    child.on('message', (message: WatchdogMessage) => this.hear(message));
    child.on('error', () => undefined);
    child.once('exit', () => {
      this.gone = true;
      this.lose('lost its watchdog');
    });
  }

  /**
   * Starts a watchdog and waits until it holds the folder.
   * @param onLoss called when a server, or the watchdog itself, ends, with words that continue "the server ..."
   * @throws EmbeddedPostgresError when another live service holds the folder
   */
  static async holding(home: string, onLoss: (how: string) => void): Promise<WatchdogProcess> {
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
        `The watchdog of the embedded database does not start: try again, ${USE_ANOTHER_SERVER}`,
      );
    }
    if (message.locked === undefined) {
      child.kill('SIGKILL');
      throw new EmbeddedPostgresError(whyNotLocked(home, message));
    }
    return new WatchdogProcess(child, onLoss);
  }

  get isGone(): boolean {
    return this.gone;
  }

  /** Resolves when the server's process is there, or has failed; not yet when it is ready. */
  async start(command: ServerCommand): Promise<ServerRun> {
    this.run = undefined;
    const answered = new Promise<void>((resolve) => (this.wake = resolve));
    this.send({ run: command });
    if (!this.gone) await answered;
    return this.run ?? { pid: 0, ended: 'lost its watchdog' };
  }

  /** From here on neither the process nor its channel keeps a service running that has nothing else to do. */
  letServiceEnd(): void {
    this.child.unref();
    this.child.channel?.unref();
  }

  /** Stops the server, releases the folder and waits until both are done. */
  async stop(): Promise<void> {
    if (this.gone) return;
    this.child.ref();
    const exit = once(this.child, 'exit');
    this.send({ stop: true });
    await exit;
  }

  private send(message: object): void {
    // A channel that has just closed shows as the watchdog's exit.
    if (this.child.connected) this.child.send(message, () => undefined);
  }

  private hear(message: WatchdogMessage): void {
    if (message.started !== undefined) this.run = { pid: message.started };
    if (message.ended !== undefined) this.lose(message.ended);
    this.wake();
  }

  private lose(how: string): void {
    this.run ??= { pid: 0 };
    this.run.ended ??= how;
    this.wake();
    this.onLoss(how);
  }
}

function whyNotLocked(home: string, { refused, failed }: WatchdogMessage): string {
  if (refused === undefined) {
    return `The folder ${home} cannot be locked (${failed}): its file system has to allow sockets. Choose another data folder, ${USE_ANOTHER_SERVER}`;
  }
  const who = refused.servicePid === null ? '' : ` (pid ${refused.servicePid})`;
  return refused.leaving
    ? `The database in ${home} is still being shut down for another Countinghouse${who}: try again in a minute.`
    : `The data folder ${home} is in use by another Countinghouse${who}: stop that one, or give this one a data folder of its own.`;
}
