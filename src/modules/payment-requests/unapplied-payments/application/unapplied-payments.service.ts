import { Injectable } from '@nestjs/common';
import { DomainError } from '../../../../kernel/domain-error';
import { CursorPage, CursorRequest } from '../../../../kernel/pages';
import { AuditTrail } from '../../../../platform/audit/audit-trail';
import { Backlog } from '../../../../platform/database/account-owned-repository';
import { Database } from '../../../../platform/database/database';
import { Tx } from '../../../../platform/database/tx';
import type { Account } from '../../../accounts';
import {
  AccountScopedReader,
  assertOperator,
  assertSeesAllAccounts,
  Principal,
  seesAllAccounts,
} from '../../../auth';
import { PaymentProcessor } from '../../../processors';
import { ReadonlyUnappliedPayment, UnappliedPayment } from '../domain/unapplied-payment';
import { UnappliedPayments, RejectedPayment } from '../domain/unapplied-payments';
import { UnappliedPaymentFilter, UnappliedPaymentsRepository } from '../domain/unapplied-payments.repository';

const READERS_ONLY = 'Only the back office and platform systems have access to unapplied payments.';

@Injectable()
export class UnappliedPaymentsService extends UnappliedPayments {
  private readonly reader: AccountScopedReader<UnappliedPayment, UnappliedPaymentFilter>;

  constructor(
    private readonly database: Database,
    private readonly repository: UnappliedPaymentsRepository,
    private readonly processor: PaymentProcessor,
    private readonly audit: AuditTrail,
  ) {
    super();
    this.reader = new AccountScopedReader('unp', 'unapplied payment', repository);
  }

  isRecorded(tx: Tx, accountId: string, processorReference: string): Promise<boolean> {
    return this.repository.isRecorded(tx, accountId, processorReference);
  }

  existsFor(accountId: string, paymentRequestId: string): Promise<boolean> {
    return this.repository.existsFor(accountId, paymentRequestId);
  }

  async backlogs(): Promise<{ readonly received: Backlog; readonly needsAttention: Backlog }> {
    const [received, needsAttention] = await Promise.all([
      this.repository.backlog('received'),
      this.repository.backlog('needs_attention'),
    ]);
    return { received, needsAttention };
  }

  async record(
    tx: Tx,
    account: Account,
    rejected: RejectedPayment,
    now: Date,
  ): Promise<ReadonlyUnappliedPayment> {
    const { id, at } = account.issueId('unp', now);
    const payment = UnappliedPayment.create({ ...rejected, id, accountId: account.id }, at);
    this.repository.add(tx, payment);
    return payment;
  }

  async list(
    caller: Principal,
    filter: UnappliedPaymentFilter,
    request: CursorRequest,
  ): Promise<CursorPage<ReadonlyUnappliedPayment>> {
    assertSeesAllAccounts(caller, READERS_ONLY);
    return this.reader.list(caller, filter, request);
  }

  async search(
    caller: Principal,
    ...search: [text: string, filters: readonly UnappliedPaymentFilter[], limit: number]
  ): Promise<readonly ReadonlyUnappliedPayment[]> {
    return seesAllAccounts(caller) ? this.reader.search(caller, ...search) : [];
  }

  async get(caller: Principal, id: string): Promise<ReadonlyUnappliedPayment> {
    assertSeesAllAccounts(caller, READERS_ONLY);
    return this.reader.get(caller, id);
  }

  async resolve(
    caller: Principal,
    id: string,
    outcome: 'returned' | 'retry',
  ): Promise<ReadonlyUnappliedPayment> {
    assertOperator(caller, 'Only admins and platform systems can resolve unapplied payments.');
    const { accountId } = await this.get(caller, id);
    return this.database.transaction(async (tx, now) => {
      const payment = await this.reader.lock(tx, accountId, id);
      if (outcome === 'returned') this.resolveAsReturned(payment, now);
      else this.retry(payment, now);
      this.repository.save(tx, payment);
      const event = { action: 'unapplied_payment.resolve', objectId: id, accountId, details: { outcome } };
      this.audit.record(tx, caller, event);
      return payment;
    });
  }

  private resolveAsReturned(payment: ReadonlyUnappliedPayment, now: Date): void {
    if (this.processor.refunds !== null && payment.dueAt !== null) {
      throw new DomainError(
        'conflict',
        'The service is returning the payment. Wait until its status is returned or needs_attention.',
      );
    }
    payment.resolveAsReturned(now);
  }

  private retry(payment: ReadonlyUnappliedPayment, now: Date): void {
    payment.assertRetryable();
    if (this.processor.refunds === null || payment.processorReference === null) {
      throw new DomainError(
        'conflict',
        'The processor cannot return this payment. Return it yourself and resolve it as `returned`.',
      );
    }
    payment.retry(now);
  }
}
