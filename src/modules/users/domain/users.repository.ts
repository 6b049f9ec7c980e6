import { Page, PageRequest } from '../../../kernel/pages';
import { Tx } from '../../../platform/database/tx';
import { User } from './user';
import { UserStatus } from './user.lifecycle';

export interface UserFilter {
  /** Only users tied to this account. */
  readonly accountId?: string;
  readonly status?: UserStatus;
  /** A part of the name or of the email, in any case. */
  readonly search?: string;
}

export abstract class UsersRepository {
  abstract find(id: string): Promise<User | null>;
  abstract list(filter: UserFilter, page: PageRequest): Promise<Page<User>>;
  abstract lock(tx: Tx, id: string): Promise<User | null>;
  /** Locks and answers every admin that could still sign in. */
  abstract lockActiveAdmins(tx: Tx): Promise<User[]>;
  abstract lockOfAccount(tx: Tx, accountId: string): Promise<User[]>;
  abstract add(tx: Tx, user: User): void;
  abstract save(tx: Tx, user: User): void;
  abstract remove(tx: Tx, id: string): void;
}
