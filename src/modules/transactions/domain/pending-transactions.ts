import type { Backlog } from '../../../platform/database/account-owned-repository';
import type { Direction } from '../../accounts';

/** What is pending in all accounts, for reports of the operator. */
export abstract class PendingTransactions {
  abstract backlogs(): Promise<Readonly<Record<Direction, Backlog>>>;
}
