import { Injectable } from '@nestjs/common';
import type { DueItem, DueItemTask } from '../../platform/jobs/due-items';
import { Transfers } from './transfers.service';
import { TransfersRepository } from './transfers.repository';

/** The periodic task that ends pending transfers which nobody has captured. */
@Injectable()
export class TransferExpiry implements DueItemTask {
  readonly name = 'transfer expiry';
  readonly wokenBy = ['transfers'];
  readonly batchSize = 16;

  constructor(
    private readonly repository: TransfersRepository,
    private readonly transfers: Transfers,
  ) {}

  findDue(now: Date, excludedIds: readonly string[], limit: number): Promise<DueItem[]> {
    return this.repository.findDue(now, excludedIds, limit);
  }

  /** Each in its own database transaction, since each locks other accounts. */
  async process(accountId: string, ids: readonly string[]): Promise<void> {
    for (const id of ids) await this.transfers.expire(accountId, id);
  }
}
