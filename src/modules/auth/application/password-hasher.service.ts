import { Injectable, OnApplicationShutdown } from '@nestjs/common';
import { hashSync } from 'bcryptjs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import Piscina from 'piscina';
import { Gauge, Registry } from 'prom-client';
import { nestedNetworks } from '../../../kernel/client-network';
import { DomainError } from '../../../kernel/domain-error';
import { FairQueue } from '../../../kernel/fair-queue';
import { LoginClient, MAX_PASSWORD_BYTES, PasswordHasher } from '../domain/passwords';

/** The limit of the queue. Beyond it a client would time out before its turn, so further tasks are rejected. */
const MAX_QUEUED = 600;

/** An email can belong to one user and one account, so a login compares at most this many hashes. */
const COMPARISONS = 2;

@Injectable()
export class PasswordHasherService extends PasswordHasher implements OnApplicationShutdown {
  private readonly workers: Piscina;
  private readonly queue: FairQueue;
  /** A hash that matches no valid password and takes as long to compare as a real one. */
  private readonly decoy: string;

  /** @param cost bcrypt's work factor: each increment doubles the time */
  constructor(
    private readonly cost: number,
    threads = availableParallelism(),
    registry = new Registry(),
  ) {
    super();
    this.decoy = hashSync('', cost);
    this.workers = new Piscina({
      filename: join(__dirname, '..', 'infrastructure', 'password-hash.worker.js'),
      minThreads: 1,
      maxThreads: threads,
      idleTimeout: 60_000,
    });
    this.queue = new FairQueue(
      threads,
      MAX_QUEUED,
      () => new DomainError('unavailable', 'Too many logins at once. Retry shortly.', 2),
    );
    measure(this.queue, registry);
  }

  hash(password: string, client: string): Promise<string> {
    return this.queue.run(['other', ...nestedNetworks(client)], () =>
      this.compute<string>('hash', { password, cost: this.cost }),
    );
  }

  matching<Candidate extends { readonly passwordHash: string }>(
    password: string,
    { address, owner }: LoginClient,
    candidatesOf: () => Promise<readonly Candidate[]>,
  ): Promise<Candidate[]> {
    const networks = nestedNetworks(address);
    const path = owner === null ? ['login', ...networks] : ['known login', ...networks, owner];
    return this.queue.run(path, async () => this.compare(password, await candidatesOf()));
  }

  isOutdated(hash: string): boolean {
    return Number(hash.split('$')[2]) < this.cost;
  }

  async onApplicationShutdown(): Promise<void> {
    await this.workers.close();
  }

  private async compare<Candidate extends { readonly passwordHash: string }>(
    password: string,
    candidates: readonly Candidate[],
  ): Promise<Candidate[]> {
    const tooLong = Buffer.byteLength(password) > MAX_PASSWORD_BYTES;
    const hashes = tooLong ? [] : candidates.map(({ passwordHash }) => passwordHash);
    const decoys = Array.from({ length: Math.max(0, COMPARISONS - hashes.length) }, () => this.decoy);
    const comparison = { password: tooLong ? '' : password, hashes, decoys };
    const matched = await this.compute<readonly string[]>('matching', comparison);
    return candidates.filter(({ passwordHash }) => matched.includes(passwordHash));
  }

  private compute<Result>(name: 'hash' | 'matching', task: object): Promise<Result> {
    return this.workers.run(task, { name });
  }
}

function measure(queue: FairQueue, registry: Registry): void {
  new Gauge({
    name: 'countinghouse_password_hashing_tasks',
    help: `Logins and changes of passwords by state: running, or waiting, of which there are at most ${MAX_QUEUED}.`,
    labelNames: ['state'],
    registers: [registry],
    collect() {
      this.set({ state: 'running' }, queue.runningCount);
      this.set({ state: 'waiting' }, queue.waitingCount);
    },
  });
}
