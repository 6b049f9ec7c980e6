import { timeOfChange } from '../../../kernel/clock';
import { Metadata, mergeMetadata } from '../../../kernel/metadata';
import { Refusal } from '../../../kernel/refusal';
import { Birth, Outcome } from './birth';
import { transactionLifecycle, TransactionStatus } from './transaction.lifecycle';

export const transactionTypes = ['payment', 'credit', 'refund'] as const;
/** `payment` and `credit` bring money into the account, `refund` sends it out. */
export type TransactionType = (typeof transactionTypes)[number];

type NewTransaction = Pick<
  Transaction,
  'id' | 'accountId' | 'amount' | 'currency' | 'type' | 'reference' | 'metadata' | 'sourceTransactionId'
> &
  Partial<Pick<Transaction, 'providerReference'>>;

/** One movement of money (interface 2.3). Amount, currency and type never change. */
export class Transaction {
  readonly accountId: string;
  readonly id: string;
  /** Minor units. */
  readonly amount: number;
  readonly currency: string;
  readonly type: TransactionType;
  status: TransactionStatus;
  reference: string | null;
  metadata: Metadata;
  /** The payment that a refund pays back, or null. */
  readonly sourceTransactionId: string | null;
  /** What of a payment is refunded, or about to be, by refunds that name it. Minor units. */
  refunded: number;
  /** When it ends by itself, and how; null when somebody reports the outcome. */
  readonly settlesAt: Date | null;
  readonly dueOutcome: Outcome | null;
  /** What the processor or the back office said. */
  failureReason: string | null;
  /** The provider's name of the payment or of the refund, where one moved the money. */
  providerReference: string | null;
  /** When it is next taken to the provider, and since when it is in the provider's hands. */
  sendAt: Date | null;
  sentAt: Date | null;
  readonly createdAt: Date;
  updatedAt: Date;

  static create(request: NewTransaction, birth: Birth, at: Date): Transaction {
    const end = birth.status === 'pending' ? birth.end : null;
    const byProvider = birth.status === 'pending' && birth.byProvider === true;
    const fields: Partial<Transaction> = {
      providerReference: null,
      ...request,
      status: birth.status,
      refunded: 0,
      settlesAt: end?.settlesAt ?? null,
      dueOutcome: end?.outcome ?? null,
      failureReason: null,
      sendAt: byProvider ? at : null,
      sentAt: null,
      createdAt: at,
      updatedAt: at,
    };
    return Object.assign(Object.create(Transaction.prototype) as Transaction, fields);
  }

  get direction(): 'in' | 'out' {
    return this.type === 'refund' ? 'out' : 'in';
  }

  /** Sets the reference and merges the metadata; what is undefined stays. @throws Refusal `invalid_request` */
  annotate(change: { reference?: string | null; metadata?: Metadata | null }, now: Date): void {
    if (change.reference !== undefined) this.reference = change.reference;
    if (change.metadata !== undefined) this.metadata = mergeMetadata(this.metadata, change.metadata);
    this.updatedAt = timeOfChange(this.updatedAt, now);
  }

  /** @throws Refusal by the lifecycle: `not_cancellable` for a cancel, else `conflict` */
  assertCan(step: 'settle' | 'fail' | 'cancel'): void {
    transactionLifecycle.move(step, this.status);
    if (step === 'cancel' && this.sentAt !== null) {
      throw new Refusal(
        'not_cancellable',
        'The provider has it in hand; it ends by what the provider reports.',
      );
    }
  }

  /** @throws Refusal `conflict` when it is the provider who knows the outcome */
  assertReportable(): void {
    if (this.status === 'pending' && this.sentAt !== null) {
      throw new Refusal('conflict', 'The provider has it in hand and reports the outcome itself.');
    }
  }

  /** @throws Refusal as above */
  take(step: 'settle' | 'fail' | 'cancel', now: Date): void {
    this.status = transactionLifecycle.move(step, this.status);
    this.sendAt = null;
    this.updatedAt = timeOfChange(this.updatedAt, now);
  }

  /**
   * Promises a part of this payment to a refund.
   * @throws Refusal `invalid_request` unless it is a succeeded payment with that much left
   */
  promiseRefund(amount: number): void {
    if (this.type !== 'payment' || this.status !== 'succeeded') {
      throw new Refusal(
        'invalid_request',
        'source_transaction_id must name a succeeded payment of the account.',
      );
    }
    const left = this.amount - this.refunded;
    if (amount > left) {
      throw new Refusal(
        'invalid_request',
        `Of the source transaction ${left} minor units are left to refund.`,
      );
    }
    this.refunded += amount;
  }

  /** A refund of this payment will not happen. */
  releaseRefund(amount: number): void {
    this.refunded -= amount;
  }
}
