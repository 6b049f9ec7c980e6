import { Injectable } from '@nestjs/common';
import { Database, Tx } from '../../../platform/database/database';
import type { DueItem, DueItemTask } from '../../../platform/jobs/due-items';
import { Log } from '../../../platform/telemetry/log';
import { AccountStore } from '../../accounts';
import {
  isProcessorOutage,
  PaymentProcessor,
  RefundEvent,
  RefundReport,
  SCRIPTED_FAILURE,
} from '../../processors';
import { Transaction } from '../domain/transaction';
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

/**
 * Sends refunds of payments that the processor has received to the processor, and applies its reports. A refund that is
 * sent again is the same refund there, so an attempt whose outcome is unknown is repeated.
 */
@Injectable()
export class ProcessorRefunds implements DueItemTask {
  readonly name = 'refunds';
  readonly wokenBy = ['transactions'];
  readonly batchSize = 1;
  readonly isOutage = isProcessorOutage;

  constructor(
    private readonly database: Database,
    private readonly repository: TransactionsRepository,
    private readonly accounts: AccountStore,
    private readonly processing: TransactionProcessing,
    private readonly log: Log,
    private readonly processor: PaymentProcessor,
  ) {}

  /** Finds refunds that have to be sent, and sent refunds whose state has to be retrieved. */
  findDue(now: Date, excludedIds: readonly string[], limit: number): Promise<DueItem[]> {
    return this.repository.findDueRefunds(now, excludedIds, limit);
  }

  async process(accountId: string, ids: readonly string[]): Promise<void> {
    for (const id of ids) await this.send(accountId, id);
  }

  /** Processes an event of the processor. Another installation may have created the refund on the same account there. */
  async processEvent(tx: Tx, { accountId, objectId, report }: RefundEvent, now: Date): Promise<void> {
    if (await this.repository.exists(tx, accountId, objectId)) {
      await this.applyReport(tx, accountId, objectId, report, now);
    }
  }

  /** Calls the processor outside any database transaction. */
  private async send(accountId: string, id: string): Promise<void> {
    const { refunds } = this.processor;
    const refund = await this.beginAttempt(accountId, id);
    if (refunds === null || refund === null) return;
    const source = await this.repository.find(refund.sourceTransactionId ?? '', accountId);
    const paymentReference = source?.processorReference;
    if (!paymentReference) throw new Error(`The processor did not receive the payment that ${id} refunds.`);
    const { amount, currency } = refund;
    const report = await refunds.create({ accountId, id, round: 1, paymentReference, amount, currency });
    const apply = (tx: Tx, now: Date): Promise<void> => this.applyReport(tx, accountId, id, report, now);
    await this.database.transaction(apply, accountId);
  }

  /**
   * Records the attempt before the call, so that no other replica makes the same call, and a crash does not cause an
   * early retry.
   * @returns null when the refund is no longer due
   */
  private beginAttempt(accountId: string, id: string): Promise<Transaction | null> {
    return this.database.transaction(async (tx, now) => {
      const refund = await this.repository.lock(tx, accountId, id);
      if (refund === null || refund.sendAt === null || refund.sendAt > now) return null;
      refund.beginAttempt(now);
      this.repository.save(tx, refund);
      return refund;
    });
  }

  /** Applies the processor's report on a refund. A refund that has ended does not change. */
  private applyReport(tx: Tx, accountId: string, id: string, report: RefundReport, now: Date): Promise<void> {
    return this.accounts.update(tx, accountId, async (account) => {
      const refund = await this.repository.lock(tx, accountId, id);
      if (refund === null) return;
      const { status } = refund;
      if (status !== 'pending') {
        if (report.status !== 'pending' && report.status !== status)
          this.log.notice(`The processor reports ${id} as ${report.status}, but it is ${status}`);
        return;
      }
      refund.applyReport(report);
      if (report.status === 'pending') return this.repository.save(tx, refund);
      await this.processing.apply(tx, report.status === 'failed' ? 'fail' : 'settle', account, refund, now);
    });
  }
}
