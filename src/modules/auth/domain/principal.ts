/** `platform`: systems that integrate payment rails. `admin`: the back office. */
export const roles = ['user', 'platform', 'admin'] as const;
export type Role = (typeof roles)[number];

/** How a principal stands to the account it acts for. Only the owner updates or closes it. */
export type Standing = 'owner' | 'member';

/** Whom a request acts for: one row of `sessions`, read for every request. */
export interface Principal {
  readonly sessionId: string;
  /** The user whose password opened the session, or null. */
  readonly userId: string | null;
  /** The account whose own password opened the session, or null. */
  readonly openedAccountId: string | null;
  /** The account it acts for, or null. */
  readonly accountId: string | null;
  readonly standing: Standing | null;
  readonly role: Role;
  /** The user, else the account: names the principal in logs and in idempotency records. */
  readonly subjectId: string;
}

export function isAdmin(principal: Principal | null): boolean {
  return principal?.role === 'admin';
}

/** Admin and platform act for any account. */
export function isOperator(principal: Principal | null): boolean {
  return principal !== null && principal.role !== 'user';
}

export function owns(principal: Principal, accountId: string): boolean {
  return principal.standing === 'owner' && principal.accountId === accountId;
}

/** Whether what the account owns (transactions, payment requests, subscriptions) is this principal's business. */
export function mayActFor(principal: Principal, accountId: string): boolean {
  return isOperator(principal) || principal.accountId === accountId;
}
