import { DomainError } from '../../kernel/domain-error';
import { insufficientPermission, isAdmin, owns, type Principal, seesAllAccounts } from '../auth';
import { type User, type UserChange, type UserFilter, userNotFound } from './user';

/** Whether the user is visible to the caller: to itself, the owner of its account, platform systems and the back office. */
export function maySee(caller: Principal, user: User): boolean {
  return seesAllAccounts(caller) || caller.userId === user.id || isMemberOfOwnedAccount(caller, user);
}

/** Which users `maySee` allows: all, those of an account, or one; null where that is none. */
export function visibleUsers(
  caller: Principal,
): { readonly accountId?: string; readonly id?: string } | null {
  const { accountId, userId } = caller;
  if (seesAllAccounts(caller)) return {};
  if (accountId !== null && owns(caller, accountId)) return { accountId };
  return userId === null ? null : { id: userId };
}

/** @throws DomainError `not_found` for a user whom the caller may not see, as if there were none */
export function assertVisible(caller: Principal, user: User | null): User {
  if (user !== null && maySee(caller, user)) return user;
  throw userNotFound();
}

/** Returns the filter within what the caller may list; null where that is nothing. @throws DomainError `forbidden` */
export function listedFilter(caller: Principal, filter: UserFilter): UserFilter | null {
  if (seesAllAccounts(caller)) return filter;
  if (caller.membershipRole !== 'owner' || caller.accountId === null) {
    throw new DomainError(
      'forbidden',
      'Only the back office, platform systems and account owners may list users.',
    );
  }
  const { accountId = caller.accountId } = filter;
  return accountId === caller.accountId ? { ...filter, accountId } : null;
}

export function mayUpdate(caller: Principal, user: User): boolean {
  return isAdmin(caller) || caller.userId === user.id;
}

/** @throws DomainError `unauthorized` */
export function assertMayUpdate(caller: Principal, user: User, { role }: UserChange): void {
  if (!mayUpdate(caller, user)) throw insufficientPermission('only the user and admins may update a user.');
  if (role !== undefined && !isAdmin(caller)) throw insufficientPermission('only admins may set a role.');
}

export function mayDelete(caller: Principal, user: User): boolean {
  return isAdmin(caller) || caller.userId === user.id || isMemberOfOwnedAccount(caller, user);
}

function isMemberOfOwnedAccount(caller: Principal, user: User): boolean {
  return user.accountId !== null && owns(caller, user.accountId);
}
