import { createHash } from 'node:crypto';
import { RateLimiterPostgres, type RateLimiterRes } from 'rate-limiter-flexible';
import type { DataSource } from 'typeorm';
import { SECOND_MS } from '../../kernel/clock';
import type { Database } from './database';
import { queueByKey } from './waiting';

/** A limit per key and time window. The counts are in the database, so all replicas share them. */
export class SharedLimit {
  private readonly limiter: RateLimiterPostgres;
  /** Uses of one key wait for each other in the database anyway; here they do so without a connection. */
  private readonly turns = queueByKey(1);

  /**
   * @param name identifies the limit in the table of all counts, so it must not change
   * @param points what a key may use in one window, which starts with its first use
   */
  constructor(dataSource: DataSource, name: string, points: number, windowSeconds: number) {
    this.limiter = new RateLimiterPostgres({
      storeClient: dataSource,
      storeType: 'typeorm',
      tableName: 'shared_limits',
      tableCreated: true,
      keyPrefix: name,
      points,
      duration: windowSeconds,
      clearExpiredByTimeout: true,
    });
  }

  /** Returns the key of the row that counts the uses of `key`. */
  rowKey(key: string): string {
    return this.limiter.getKey(hashed(key));
  }

  /** @returns null if the row permits one more use, or else the seconds until the window ends */
  waitSeconds(row: Row | undefined): number | null {
    return row !== undefined && row.points >= this.limiter.points ? secondsLeft(row) : null;
  }

  /**
   * Counts one use of the key.
   * @returns null, or the seconds until the window ends when the limit is exceeded
   * @throws DomainError `unavailable` when too many uses of the key wait
   */
  async use(key: string): Promise<number | null> {
    const count = await this.turns.run([key], () => this.limiter.penalty(hashed(key)));
    return count.consumedPoints > this.limiter.points ? secondsLeft(count) : null;
  }

  /** Takes back one use of the key. */
  async giveBack(key: string): Promise<void> {
    await this.limiter.reward(hashed(key));
  }

  /**
   * Counts one use of each key before `work`, so that what runs at the same time exceeds no limit together. Work that fails
   * or does not run is not counted; only if the process dies meanwhile, it stays counted.
   * @returns whether `work` ran, which it does not when a limit is exceeded
   * @throws what `work` throws
   */
  static async during(keys: readonly LimitedKey[], work: () => Promise<void>): Promise<boolean> {
    const counted: LimitedKey[] = [];
    let isDone = false;
    try {
      for (const [limit, key] of keys) {
        const waitSeconds = await limit.use(key);
        counted.push([limit, key]);
        if (waitSeconds !== null) return false;
      }
      await work();
      isDone = true;
      return true;
    } finally {
      if (!isDone) for (const [limit, key] of counted) await limit.giveBack(key);
    }
  }
}

/** A key and the limit that counts its uses. */
export type LimitedKey = readonly [limit: SharedLimit, key: string];

/** A count whose window has not ended. */
interface Row {
  readonly key: string;
  readonly points: number;
  readonly msBeforeNext: number;
}

/** The limits of requests that name an email. */
export class EmailLimits {
  /** Of one email from one client network. It is the lowest, so that no single network can use up the others. */
  private readonly emailAndNetwork: SharedLimit;
  private readonly network: SharedLimit;
  readonly email: SharedLimit;

  constructor(
    dataSource: DataSource,
    name: string,
    points: Readonly<Record<'emailAndNetwork' | 'network' | 'email', number>>,
    windowSeconds: number,
  ) {
    const limit = (kind: string, most: number) =>
      new SharedLimit(dataSource, `${name}-${kind}`, most, windowSeconds);
    this.emailAndNetwork = limit('both', points.emailAndNetwork);
    this.network = limit('network', points.network);
    this.email = limit('email', points.email);
  }

  /**
   * Reads all three limits with one statement.
   * @param reader a transaction, or what reads outside of one
   * @returns the seconds to wait because of the network, and because of the email alone; null if there is no need
   */
  async waitSeconds(
    email: string,
    network: string,
    reader: Pick<Database, 'query'>,
  ): Promise<{ ofNetwork: number | null; ofEmail: number | null }> {
    const keys = [
      this.emailAndNetwork.rowKey(both(email, network)),
      this.network.rowKey(network),
      this.email.rowKey(email),
    ] as const;
    const sql = `SELECT key, points, "msBeforeNext" FROM shared_limits,
                 LATERAL (SELECT (expire - extract(epoch FROM clock_timestamp()) * 1000)::float AS "msBeforeNext") AS remaining
                 WHERE key = ANY ($1) AND "msBeforeNext" > 0`;
    const rows = await reader.query<Row>(sql, [keys]);
    const [ofBoth, ofNetwork, ofEmail] = keys.map((name) => rows.find(({ key }) => key === name));
    const ofNetworks = [this.emailAndNetwork.waitSeconds(ofBoth), this.network.waitSeconds(ofNetwork)];
    return {
      ofNetwork: ofNetworks.reduce((one, other) => (one === null ? other : Math.max(one, other ?? 0))),
      ofEmail: this.email.waitSeconds(ofEmail),
    };
  }

  /**
   * Counts one use by the network, and stops at the first limit that is exceeded.
   * @returns null, or the seconds until the window ends when a limit is exceeded
   */
  async useNetwork(email: string, network: string): Promise<number | null> {
    return (await this.emailAndNetwork.use(both(email, network))) ?? (await this.network.use(network));
  }
}

function both(email: string, network: string): string {
  return `${email}\n${network}`;
}

/** Bounds the length of the keys and keeps emails and addresses out of the table. */
function hashed(key: string): string {
  return createHash('sha256').update(key).digest('base64url');
}

function secondsLeft({ msBeforeNext }: Pick<RateLimiterRes, 'msBeforeNext'>): number {
  return Math.max(1, Math.ceil(msBeforeNext / SECOND_MS));
}
