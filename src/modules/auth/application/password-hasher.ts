import { Injectable, OnApplicationShutdown } from '@nestjs/common';
import { hashSync } from 'bcryptjs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import Piscina from 'piscina';
import { Refusal } from '../../../kernel/refusal';
import { MAX_PASSWORD_BYTES } from '../domain/password-policy';

/** Hashes that may wait for a worker; one more is refused, since its answer would come too late to be of use. */
const MAX_WAITING = 600;

/** Hashes passwords with bcrypt in worker threads, so that a login never stalls another request. */
@Injectable()
export class PasswordHasher implements OnApplicationShutdown {
  private readonly workers = new Piscina({
    filename: join(__dirname, '..', 'infrastructure', 'password-hash.worker.js'),
    minThreads: 1,
    maxThreads: availableParallelism(),
    maxQueue: MAX_WAITING,
    idleTimeout: 60_000,
  });
  /** A hash that no password matches, as costly to compare with as a real one. */
  private readonly decoy: string;

  /** @param cost bcrypt's work factor; each step doubles the time */
  constructor(private readonly cost: number) {
    this.decoy = hashSync('', cost);
  }

  hash(password: string): Promise<string> {
    return this.run<string>('hash', { password, cost: this.cost });
  }

  /**
   * Those of the hashes that the password matches. To match none takes `comparisons` comparisons, however few hashes
   * there are; one that is too long matches none. All in one task: a try that was refused has learnt nothing, and one
   * that was not is compared to its end, so that its failure is counted.
   */
  async matching(
    password: string,
    hashes: readonly string[],
    comparisons: number,
  ): Promise<readonly string[]> {
    const tooLong = Buffer.byteLength(password) > MAX_PASSWORD_BYTES;
    const compared = tooLong ? [] : hashes;
    const decoys = Array.from({ length: Math.max(0, comparisons - compared.length) }, () => this.decoy);
    return this.run('matching', { password: tooLong ? '' : password, hashes: compared, decoys });
  }

  /** Whether the hash was made with a lower cost than is now configured. */
  isOutdated(hash: string): boolean {
    return Number(hash.split('$')[2]) < this.cost;
  }

  async onApplicationShutdown(): Promise<void> {
    await this.workers.close();
  }

  private async run<Result>(name: 'hash' | 'matching', task: object): Promise<Result> {
    try {
      return (await this.workers.run(task, { name })) as Result;
    } catch (error) {
      // piscina marks this failure by its message alone
      if (error instanceof Error && error.message === 'Task queue is at limit') {
        throw new Refusal('unavailable', 'Too many sign-ins at once. Repeat the request shortly.', 2);
      }
      throw error;
    }
  }
}
