import { DomainError } from '../../../kernel/domain-error';
import { EventSource, FieldsOf } from '../../../kernel/entity';
import { Account, Direction } from '../../accounts';
import { AdjustmentStatus } from './adjustment.lifecycle';

/** `credit`: money is added to the account. `debit`: it is taken from the account. */
export const adjustmentDirections = ['credit', 'debit'] as const;
export type AdjustmentDirection = (typeof adjustmentDirections)[number];

/** How each direction moves the money of the account. */
export const directionOf: Readonly<Record<AdjustmentDirection, Direction>> = { credit: 'in', debit: 'out' };

export type AdjustmentTerms = Pick<
  Adjustment,
  'amount' | 'currency' | 'direction' | 'reason' | 'reference' | 'createdBy'
>;

/** A correction of an account's balance by an admin. It never changes; another one undoes it. */
export class Adjustment extends EventSource {
  readonly accountId: string;
  readonly id: string;
  /** Minor units. */
  readonly amount: number;
  readonly currency: string;
  readonly direction: AdjustmentDirection;
  readonly status: AdjustmentStatus;
  readonly reason: string;
  /** An external reference. */
  readonly reference: string | null;
  /** The admin. */
  readonly createdBy: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;

  private constructor(fields: FieldsOf<Adjustment>) {
    super();
    Object.assign(this, fields);
  }

  /**
   * Creates the adjustment of an account. A suspension is about what the account's users do, so it prevents none; what is
   * left in a closed account can be taken out, as with refunds.
   * @throws DomainError `forbidden` for money into a closed account; `currency_mismatch`
   */
  static create(
    account: Account,
    terms: AdjustmentTerms,
    { id, at }: { readonly id: string; readonly at: Date },
  ): Adjustment {
    if (account.status === 'closed' && terms.direction === 'credit')
      throw new DomainError('forbidden', 'The account is closed and takes no credits.');
    if (account.currency !== terms.currency)
      throw new DomainError('currency_mismatch', `The account's currency is ${account.currency}.`);
    return new Adjustment({
      ...terms,
      accountId: account.id,
      id,
      status: 'posted',
      eventCount: 0,
      createdAt: at,
      updatedAt: at,
    });
  }
}
