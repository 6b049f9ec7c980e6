import type { Tx } from '../../../platform/database/tx';
import type { Principal } from '../../auth';
import type { ApprovalType } from './approval';

/** Money that is moved in an account, in minor units of its currency. */
export interface MovedMoney {
  readonly accountId: string;
  readonly amount: number;
}

/** How much money an admin moves alone: so much in one account and one day. The caller has locked the account. */
export abstract class ApprovalLimit {
  /** Whether a second admin has to approve what an admin moves. What need not be approved is counted. */
  abstract isExceeded(tx: Tx, caller: Principal, money: MovedMoney, now: Date): Promise<boolean>;

  /** Whether there is a limit for what the caller moves with transactions: only for admins, where approvals are required. */
  abstract limits(caller: Principal): boolean;

  /** The same as `isExceeded` for a transaction. */
  abstract isExceededByTransaction(tx: Tx, caller: Principal, money: MovedMoney, now: Date): Promise<boolean>;

  /** @throws DomainError `conflict` for a transaction that a second admin has to approve with an approval of that type */
  abstract assertAlone(
    tx: Tx,
    caller: Principal,
    money: MovedMoney,
    type: ApprovalType,
    now: Date,
  ): Promise<void>;
}
