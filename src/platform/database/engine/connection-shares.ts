import type { FairQueue } from '../../../kernel/fair-queue';
import { isId } from '../../../kernel/ids';
import { currentCall } from '../../telemetry/call-scope';
import type { AccountServers } from '../citus/account-servers';
import { queueByKey } from '../waiting';

/** The part of the pool that one holder may use at a time, so that three accounts can be slow and others are served. */
const SHARE_OF_POOL = 1 / 3;

/** The part of the pool that all accounts of one of several servers may use at a time for longer work, beside groups and reads. */
const SHARE_OF_SERVER = 1 / 4;

/** Whether the current call is a request, or work like one. */
export function isCharged(): boolean {
  return currentCall()?.holder !== undefined;
}

/** Whether the current call has the connections of background work. */
export function isBackground(): boolean {
  return currentCall()?.isBackground ?? false;
}

function currentHolder(): string | null {
  return currentCall()?.holder?.current ?? null;
}

/** Divides the connections of a pool among those to whom they are charged, so that none can use all of them. */
export class ConnectionShares {
  private readonly ofHolders: FairQueue;
  private readonly ofServers: FairQueue;

  /** @param size of the pool */
  constructor(
    size: number,
    private readonly servers: Pick<AccountServers, 'count' | 'serverOf'>,
  ) {
    this.ofHolders = queueByKey(Math.ceil(size * SHARE_OF_POOL));
    this.ofServers = queueByKey(Math.ceil(size * SHARE_OF_SERVER));
  }

  /** Runs `work`, which uses one connection, as soon as the holder has fewer in use than its share. */
  run<T>(work: () => Promise<T>): Promise<T> {
    const holder = currentHolder();
    return holder === null ? work() : this.ofHolders.run([holder], work);
  }

  /** The same for work that may take long, also within the share of the holder's server, which may hang. */
  runLong<T>(work: () => Promise<T>): Promise<T> {
    const holder = currentHolder();
    if (this.servers.count === 1 || holder === null || !isId('acc', holder)) return this.run(work);
    const server = String(this.servers.serverOf(holder));
    return this.run(() => this.ofServers.run([server], work));
  }
}
