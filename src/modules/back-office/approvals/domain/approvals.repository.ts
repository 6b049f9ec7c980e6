import type { AccountOwnedFilter } from '../../../../platform/database/account-owned-repository';
import { AccountOwnedRepository } from '../../../../platform/database/account-owned-repository';
import type { Tx } from '../../../../platform/database/tx';
import type { Approval } from './approval';

export type ApprovalFilter = AccountOwnedFilter<Approval, 'status' | 'type'>;

export abstract class ApprovalsRepository extends AccountOwnedRepository<Approval, ApprovalFilter> {
  /** Finds an approval that is pending for an object, which `tx` has locked. */
  abstract findPending(
    tx: Tx,
    request: Pick<Approval, 'accountId' | 'objectId' | 'type'>,
    now: Date,
  ): Promise<string | null>;
  /** Finds approvals that have been pending for too long, the earliest first, without locks. */
  abstract findDue(
    now: Date,
    excludedIds: readonly string[],
    limit: number,
  ): Promise<{ accountId: string; id: string }[]>;
}
