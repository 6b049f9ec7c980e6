import type { Metadata } from '../../../kernel/metadata';

/** What the initial state of a transaction depends on. */
export interface NewTransactionFacts {
  readonly type: 'payment' | 'credit' | 'refund';
  readonly metadata: Metadata;
  /** Whether an admin or a platform system creates the transaction. */
  readonly byOperator: boolean;
  /** Minor units. */
  readonly amount: number;
  readonly currency: string;
  /** The processor's id of the payment that a refund pays back; null where the processor did not receive that payment. */
  readonly paymentReference: string | null;
}

export const outcomes = ['succeeded', 'failed'] as const;
export type Outcome = (typeof outcomes)[number];

/** Why what the sandbox ends as failed has failed: no other processor knows the outcome when something is created. */
export const SCRIPTED_FAILURE = 'The sandbox let it fail: sandbox_outcome in its metadata is failed.';

/** The state in which a transaction is created, and what ends a pending one. */
export type InitialState =
  { readonly status: Outcome } | { readonly status: 'pending'; readonly endedBy: TransactionEnd };

/** A pending item ends at that time. */
export interface ScheduledEnd {
  readonly settlesAt: Date;
  readonly outcome: Outcome;
}

type TransactionEnd =
  /** An admin or a platform system reports the outcome. */
  | { readonly by: 'operator' }
  /** The transaction is sent to the processor, which reports the outcome. */
  | { readonly by: 'processor' }
  | ({ readonly by: 'schedule' } & ScheduledEnd);

/** Decides the initial state of new transactions. The payment processor does. */
export abstract class InitialStatePolicy {
  /** @throws DomainError `invalid_request` */
  abstract initialState(transaction: NewTransactionFacts, at: Date): InitialState;
}

/** The initial state without the processor: an operator who creates a credit has moved the money already. */
export function initialStateWithoutProcessor({ type, byOperator }: NewTransactionFacts): InitialState {
  if (type === 'credit' && byOperator) return { status: 'succeeded' };
  return { status: 'pending', endedBy: { by: 'operator' } };
}
