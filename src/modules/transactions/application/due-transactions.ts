import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database';
import { Tx } from '../../../platform/database/tx';
import type { DueItem, DueItemTask } from '../../../platform/jobs/due-items';
import { AccountStore } from '../../accounts';
import { SCRIPTED_FAILURE } from '../../processors';
import { TransactionProcessing } from '../domain/transaction-processing';
import { TransactionsRepository } from '../domain/transactions.repository';

/** The periodic task that ends scheduled transactions. */
@Injectable()
export class DueTransactions implements DueItemTask {
  readonly name = 'transactions';
  readonly wokenBy = ['transactions'];
  /** Other requests for the account wait for one batch, which takes some milliseconds. */
  readonly batchSize = 16;
  readonly concurrent = true;

  constructor(
    private readonly database: Database,
    private readonly repository: TransactionsRepository,
    private readonly accounts: AccountStore,
    private readonly processing: TransactionProcessing,
  ) {}

  findDue(now: Date, excludedIds: readonly string[], limit: number): Promise<DueItem[]> {
    return this.repository.findDue(now, excludedIds, limit);
  }

  process(accountId: string, ids: readonly string[]): Promise<void> {
    const work = (tx: Tx, now: Date): Promise<void> =>
      this.accounts.update(tx, accountId, async (account) => {
        for (const transaction of await this.repository.lockDue(tx, accountId, ids, now)) {
          if (transaction.dueOutcome === 'failed')
            await this.processing.apply(tx, 'fail', account, transaction, now, SCRIPTED_FAILURE);
          else await this.processing.apply(tx, 'settle', account, transaction, now);
        }
      });
    return this.database.transaction(work, accountId);
  }
}
