import { timeOfChange } from '../../../kernel/clock';
import { Metadata, mergeMetadata } from '../../../kernel/metadata';
import { transactionLifecycle, TransactionStatus } from './transaction.lifecycle';

export const transactionTypes = ['payment', 'credit', 'refund'] as const;
/** `payment` and `credit` bring money into the account, `refund` sends it out. */
export type TransactionType = (typeof transactionTypes)[number];

/** What becomes of each type at its creation: a payment has yet to settle, the others move at once. */
const births = { payment: 'pending', credit: 'succeeded', refund: 'succeeded' } as const;

/** One movement of money (interface 2.3). Amount, currency and type never change. */
export class Transaction {
  readonly accountId: string;
  readonly id: string;
  readonly amount: number;
  readonly currency: string;
  readonly type: TransactionType;
  status: TransactionStatus;
  reference: string | null;
  metadata: Metadata;
  readonly createdAt: Date;
  updatedAt: Date;

  static create(
    request: Pick<
      Transaction,
      'id' | 'accountId' | 'amount' | 'currency' | 'type' | 'reference' | 'metadata'
    >,
    at: Date,
  ): Transaction {
    const fields: Partial<Transaction> = {
      ...request,
      status: births[request.type],
      createdAt: at,
      updatedAt: at,
    };
    return Object.assign(Object.create(Transaction.prototype) as Transaction, fields);
  }

  /** Sets the reference and merges the metadata; what is undefined stays. @throws Refusal `invalid_request` */
  annotate(change: { reference?: string | null; metadata?: Metadata | null }, now: Date): void {
    if (change.reference !== undefined) this.reference = change.reference;
    if (change.metadata !== undefined) this.metadata = mergeMetadata(this.metadata, change.metadata);
    this.updatedAt = timeOfChange(this.updatedAt, now);
  }

  /** @throws Refusal `not_cancellable` unless it is pending */
  cancel(now: Date): void {
    this.status = transactionLifecycle.move('cancel', this.status);
    this.updatedAt = timeOfChange(this.updatedAt, now);
  }
}
