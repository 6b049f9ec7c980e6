import type { Tx } from '../../../platform/database/tx';
import type { Principal } from '../../auth';
import type { Transaction } from './transaction';

/** The port to the approvals of a second admin. The caller has locked the account. */
export abstract class TransactionApprovals {
  /** Whether the caller is an admin who would move more alone than the limit. */
  abstract isNeeded(
    tx: Tx,
    caller: Principal,
    money: Pick<Transaction, 'accountId' | 'amount'>,
    now: Date,
  ): Promise<boolean>;
  /** Whether what needs no approval is counted toward the limit of the caller. */
  abstract limits(caller: Principal): boolean;
  /** Asks for the approval of a new transaction. */
  abstract ask(tx: Tx, caller: Principal, transaction: Transaction, now: Date): void;
  /** @throws DomainError `conflict` for an admin who reports above the limit that money has come in */
  abstract assertMaySettle(
    tx: Tx,
    caller: Principal,
    transaction: Readonly<Transaction>,
    now: Date,
  ): Promise<void>;
}
