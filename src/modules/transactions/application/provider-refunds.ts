import { Inject, Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database';
import { Tx } from '../../../platform/database/tx';
import { Log } from '../../../platform/telemetry/log';
import { Accounts } from '../../accounts';
import { PaymentProvider, ProviderError, RefundReport } from '../../providers';
import { Transaction } from '../domain/transaction';
import { TransactionsRepository } from '../domain/transactions.repository';
import { TransactionSteps } from './transaction-steps';

/** Refunds that one round takes to the provider. */
const REFUNDS_PER_ROUND = 20;

/**
 * Refunds of payments that came through a provider: they are sent there, and end by its word. What was sent and not
 * answered is sent again, and is the same refund there.
 */
@Injectable()
export class ProviderRefunds {
  constructor(
    private readonly database: Database,
    private readonly repository: TransactionsRepository,
    private readonly accounts: Accounts,
    private readonly steps: TransactionSteps,
    private readonly log: Log,
    @Inject(PaymentProvider) private readonly provider: PaymentProvider | null,
  ) {}

  /**
   * Sends what is due, and asks again after what is not decided yet. A provider that does not answer is left alone
   * until the next sweep, or all other timed work would wait for it.
   * @returns whether more may be due
   */
  async sendDue(now: Date): Promise<boolean> {
    if (this.provider === null) return false;
    for (let sent = 0; sent < REFUNDS_PER_ROUND; sent += 1) {
      const refund = await this.repository.takeToSend(now);
      if (refund === null || !(await this.send(this.provider, refund))) return false;
    }
    return true;
  }

  /** Takes down what the provider says of a refund, once: what has ended stays as it is. */
  async take(tx: Tx, accountId: string, id: string, report: RefundReport, now: Date): Promise<void> {
    const account = await this.accounts.lock(tx, accountId);
    const refund = account && (await this.repository.lock(tx, accountId, id));
    if (account === null || refund === null) return;
    if (refund.status !== 'pending') {
      if (contradicts(refund, report)) {
        this.log.notice(`The provider reports ${id} as ${report.status}, which is ${refund.status} here`);
      }
      return;
    }
    refund.providerReference = report.reference;
    if (report.status === 'pending') return this.repository.save(tx, refund);
    if (report.status === 'failed') refund.failureReason = report.failure;
    await this.steps.advance(tx, report.status === 'failed' ? 'fail' : 'settle', account, refund, now);
    this.accounts.save(tx, account);
  }

  /** One refund's trouble keeps no other waiting: it is due again in a while. @returns whether there was an answer */
  private async send(provider: PaymentProvider, refund: Transaction): Promise<boolean> {
    const { accountId, id, amount, currency } = refund;
    try {
      const source = await this.repository.find(refund.sourceTransactionId ?? '', accountId);
      const payment = source?.providerReference;
      if (!payment) throw new Error(`${id} pays back nothing that a provider took.`);
      const report = await provider.refund({ accountId, id, round: 1, payment, amount, currency });
      await this.database.atomically(null, (tx, now) => this.take(tx, accountId, id, report, now));
      return true;
    } catch (error) {
      this.log.failure('A refund could not be sent to the provider; it is tried again', error);
      return !(error instanceof ProviderError);
    }
  }
}

function contradicts({ status }: Transaction, report: RefundReport): boolean {
  return report.status !== 'pending' && report.status !== status;
}
