import { isAdmin, isOperator, owns, Principal } from '../../auth';
import { User } from './user';

/** Whether the user exists for the caller: itself, its account's owner, platform and admin. */
export function maySee(caller: Principal, user: User): boolean {
  return isOperator(caller) || caller.userId === user.id || isOwnersMember(caller, user);
}

export function mayUpdate(caller: Principal, user: User): boolean {
  return isAdmin(caller) || caller.userId === user.id;
}

export function mayDelete(caller: Principal, user: User): boolean {
  return isAdmin(caller) || caller.userId === user.id || isOwnersMember(caller, user);
}

function isOwnersMember(caller: Principal, user: User): boolean {
  return user.accountId !== null && owns(caller, user.accountId);
}
