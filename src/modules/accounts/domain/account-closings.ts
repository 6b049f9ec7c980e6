import type { Precondition } from '../../../kernel/precondition';
import type { Tx } from '../../../platform/database/tx';
import type { Principal } from '../../auth';
import type { ReadonlyAccount } from './account';

/** Closes accounts (interface 3.2): cancels what is pending, deletes linked users and ends sessions. The journal stays. */
export abstract class AccountClosings {
  /**
   * @throws DomainError `forbidden` for callers other than the owner, and in production while the account is suspended;
   * `unauthorized` without a recent login; `active_subscriptions`
   */
  abstract closeOwn(caller: Principal): Promise<ReadonlyAccount>;

  /**
   * @throws DomainError `forbidden` for callers other than admins; `unauthorized` without a recent login; `not_found`,
   * `conflict`, also for an account with money in it where a second admin has to approve; `active_subscriptions`,
   * `precondition_failed`
   */
  abstract closeAny(
    caller: Principal,
    id: string,
    precondition: Precondition,
    reason?: string | null,
  ): Promise<ReadonlyAccount>;

  /** @returns null when there was too much for one database transaction: run it again in another one */
  abstract closeOrCancelPart(
    tx: Tx,
    caller: Principal,
    id: string,
    reason: string | null,
    now: Date,
    assertAllowed?: (account: ReadonlyAccount) => void,
  ): Promise<ReadonlyAccount | null>;
}
