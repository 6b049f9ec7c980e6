import { isAdmin, owns, Principal, seesAllAccounts } from '../../auth';
import { User } from './user';

/** Whether the user is visible to the caller: to itself, the owner of its account, platform systems and the back office. */
export function maySee(caller: Principal, user: User): boolean {
  return seesAllAccounts(caller) || caller.userId === user.id || isMemberOfOwnedAccount(caller, user);
}

export function mayUpdate(caller: Principal, user: User): boolean {
  return isAdmin(caller) || caller.userId === user.id;
}

export function mayDelete(caller: Principal, user: User): boolean {
  return isAdmin(caller) || caller.userId === user.id || isMemberOfOwnedAccount(caller, user);
}

function isMemberOfOwnedAccount(caller: Principal, user: User): boolean {
  return user.accountId !== null && owns(caller, user.accountId);
}
