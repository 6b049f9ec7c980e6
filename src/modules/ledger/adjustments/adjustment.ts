import { timeOfChange } from '../../../kernel/clock';
import { DomainError } from '../../../kernel/domain-error';
import { EventSource, type FieldsOf } from '../../../kernel/entity';
import { lifecycle, type StateOf } from '../../../kernel/lifecycle';
import type { Direction, LockedAccount } from '../../accounts';

/** An adjustment is posted when it is created, or waits for a second admin. Once it is posted it stays so. */
export const adjustmentLifecycle = lifecycle({
  states: ['pending', 'posted', 'rejected', 'expired'],
  initial: ['pending', 'posted'],
  transitions: {
    post: { from: ['pending'], to: 'posted' },
    reject: { from: ['pending'], to: 'rejected' },
    expire: { from: ['pending'], to: 'expired' },
  },
});

export type AdjustmentStatus = StateOf<typeof adjustmentLifecycle>;
type AdjustmentTransition = keyof typeof adjustmentLifecycle.transitions;

/** `credit`: money is added to the account. `debit`: it is taken from the account. */
export const adjustmentDirections = ['credit', 'debit'] as const;
export type AdjustmentDirection = (typeof adjustmentDirections)[number];

/** How each direction moves the money of the account. */
export const postingDirections: Readonly<Record<AdjustmentDirection, Direction>> = {
  credit: 'in',
  debit: 'out',
};

export type AdjustmentTerms = Pick<
  Adjustment,
  'amount' | 'currency' | 'direction' | 'reason' | 'reference' | 'createdBy'
>;

/**
 * A correction of an account's balance by an admin. Once it is posted it never changes; another one undoes it. It is not
 * a transaction: clients of the interface know three types, and the processor decides how those end. Only operators see
 * its events.
 */
export class Adjustment extends EventSource {
  readonly accountId: string;
  readonly id: string;
  /** Minor units. */
  readonly amount: number;
  readonly currency: string;
  readonly direction: AdjustmentDirection;
  status: AdjustmentStatus;
  readonly reason: string;
  /** An external reference. */
  readonly reference: string | null;
  /** The admin. */
  readonly createdBy: string;
  /** The approval that it waits or waited for; null for one that was posted at once. */
  approvalId: string | null;
  readonly createdAt: Date;
  updatedAt: Date;

  private constructor(fields: FieldsOf<Adjustment>) {
    super();
    Object.assign(this, fields);
  }

  /**
   * Creates the adjustment of an account, which is posted at once or waits for an approval.
   * @throws DomainError `forbidden` for money into a closed account; `currency_mismatch`
   */
  static create(
    account: LockedAccount,
    terms: AdjustmentTerms,
    { id, at }: { readonly id: string; readonly at: Date },
    needsApproval: boolean,
  ): Adjustment {
    assertOpenFor(account, terms.direction);
    if (account.currency !== terms.currency)
      throw new DomainError('currency_mismatch', `The account's currency is ${account.currency}.`);
    return new Adjustment({
      ...terms,
      accountId: account.id,
      id,
      status: needsApproval ? 'pending' : 'posted',
      approvalId: null,
      eventCount: 0,
      createdAt: at,
      updatedAt: at,
    }).addEvent(needsApproval ? 'adjustment.created' : 'adjustment.posted', null);
  }

  awaitApproval(approvalId: string): void {
    this.approvalId = approvalId;
  }

  /** @throws DomainError `forbidden` for money into an account that was closed since; `conflict` unless it is pending */
  post(account: LockedAccount, now: Date): void {
    assertOpenFor(account, this.direction);
    this.apply('post', now);
  }

  /** Ends it without a posting. @throws DomainError `conflict` unless it is pending */
  dismiss(transition: 'reject' | 'expire', now: Date): void {
    this.apply(transition, now);
  }

  private apply(transition: AdjustmentTransition, now: Date): void {
    this.status = adjustmentLifecycle.transition(transition, this.status);
    this.updatedAt = timeOfChange(this.updatedAt, now);
    this.addEvent(`adjustment.${this.status}`, null);
  }
}

/**
 * A suspension is about what the account's users do, so it prevents no adjustment; what is left in a closed account can be
 * taken out, as with refunds.
 * @throws DomainError `forbidden`
 */
function assertOpenFor(account: LockedAccount, direction: AdjustmentDirection): void {
  if (account.status === 'closed' && direction === 'credit')
    throw new DomainError('forbidden', 'The account is closed and takes no credits.');
}
