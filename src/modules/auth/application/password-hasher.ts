import { Injectable, OnApplicationShutdown } from '@nestjs/common';
import { hashSync } from 'bcryptjs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import Piscina from 'piscina';
import { DomainError } from '../../../kernel/domain-error';
import { clientNetwork } from '../../../kernel/client-network';
import { FairQueue } from './fair-queue';
import { MAX_PASSWORD_BYTES } from '../domain/password-policy';

/** The limit of the queue. Beyond it a client would time out before its turn, so further tasks are rejected. */
const MAX_QUEUED = 600;

const THREADS = availableParallelism();

/** An email can belong to one user and one account, so a login compares at most this many hashes. */
const COMPARISONS = 2;

/**
 * Hashes passwords with bcrypt in worker threads, so that a login does not block other requests. Client networks take
 * turns, and so do logins and everything else.
 */
@Injectable()
export class PasswordHasher implements OnApplicationShutdown {
  private readonly workers = new Piscina({
    filename: join(__dirname, '..', 'infrastructure', 'password-hash.worker.js'),
    minThreads: 1,
    maxThreads: THREADS,
    idleTimeout: 60_000,
  });
  private readonly queue = new FairQueue(
    THREADS,
    MAX_QUEUED,
    () => new DomainError('unavailable', 'Too many logins at once. Retry shortly.', 2),
  );
  /** A hash that matches no valid password and takes as long to compare as a real one. */
  private readonly decoy: string;

  /** @param cost bcrypt's work factor: each increment doubles the time */
  constructor(private readonly cost: number) {
    this.decoy = hashSync('', cost);
  }

  /**
   * @param client the address of the client, or another name for whose turn it is
   * @throws DomainError `unavailable` when too many tasks are queued
   */
  hash(password: string, client: string): Promise<string> {
    return this.queue.run('other', clientNetwork(client), () =>
      this.compute<string>('hash', { password, cost: this.cost }),
    );
  }

  /**
   * Returns the candidates that the password matches. A mismatch always takes the same number of comparisons, so that
   * the time does not reveal how many candidates there are. A password that is too long matches none.
   *
   * All comparisons are one task of the queue: an attempt is either rejected without any comparison, or completed and
   * counted.
   * @param client the address of the client
   * @param assertAllowed is called when it is the attempt's turn, so that a limit that was reached in the meantime saves
   * the comparisons
   * @throws DomainError `unavailable` when too many tasks are queued; the errors of `assertAllowed`
   */
  async matching<Candidate extends { readonly passwordHash: string }>(
    password: string,
    candidates: readonly Candidate[],
    client: string,
    assertAllowed: () => Promise<void> = async () => undefined,
  ): Promise<Candidate[]> {
    const tooLong = Buffer.byteLength(password) > MAX_PASSWORD_BYTES;
    const hashes = tooLong ? [] : candidates.map(({ passwordHash }) => passwordHash);
    const decoys = Array.from({ length: Math.max(0, COMPARISONS - hashes.length) }, () => this.decoy);
    const comparison = { password: tooLong ? '' : password, hashes, decoys };
    const matched = await this.queue.run('login', clientNetwork(client), async () => {
      await assertAllowed();
      return this.compute<readonly string[]>('matching', comparison);
    });
    return candidates.filter(({ passwordHash }) => matched.includes(passwordHash));
  }

  /** Whether the hash was computed with a lower cost than is configured now. */
  isOutdated(hash: string): boolean {
    return Number(hash.split('$')[2]) < this.cost;
  }

  async onApplicationShutdown(): Promise<void> {
    await this.workers.close();
  }

  private compute<Result>(name: 'hash' | 'matching', task: object): Promise<Result> {
    return this.workers.run(task, { name });
  }
}
