import { FieldsOf, lifecycle, StateOf, timeOfChange } from 'countinghouse';

/** A payout is held when it is created. Once it has ended it never changes again. */
export const payoutLifecycle = lifecycle({
  states: ['pending', 'paid', 'failed', 'canceled'],
  initial: ['pending'],
  transitions: {
    pay: { from: ['pending'], to: 'paid' },
    fail: { from: ['pending'], to: 'failed' },
    cancel: { from: ['pending'], to: 'canceled', error: 'not_cancellable' },
  },
});
export type PayoutStatus = StateOf<typeof payoutLifecycle>;
export type PayoutTransition = keyof typeof payoutLifecycle.transitions;

/** Money that leaves an account for the bank account of its owner. */
export class Payout {
  readonly accountId: string;
  readonly id: string;
  /** Minor units. */
  readonly amount: number;
  readonly currency: string;
  readonly reference: string | null;
  status: PayoutStatus;
  readonly createdAt: Date;
  updatedAt: Date;

  private constructor(fields: FieldsOf<Payout>) {
    Object.assign(this, fields);
  }

  static create(
    terms: Pick<Payout, 'accountId' | 'id' | 'amount' | 'currency' | 'reference'>,
    at: Date,
  ): Payout {
    return new Payout({ ...terms, status: 'pending', createdAt: at, updatedAt: at });
  }

  /** @throws DomainError `not_cancellable` for a cancel, else `conflict`, unless the payout is pending */
  apply(transition: PayoutTransition, now: Date): void {
    this.status = payoutLifecycle.transition(transition, this.status);
    this.updatedAt = timeOfChange(this.updatedAt, now);
  }
}
