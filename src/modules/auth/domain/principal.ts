import { type Clock, SECOND_MS } from '../../../kernel/clock';
import { DomainError } from '../../../kernel/domain-error';
import type { Device } from '../../../platform/audit/audit-trail';

/**
 * `platform`: systems that integrate payment rails. `support`: back-office users who read everything, write notes
 * and send emails to customers again. `admin`: back-office users who do what it takes.
 */
export const roles = ['user', 'platform', 'support', 'admin'] as const;
export type Role = (typeof roles)[number];

/** The role of a principal in its account. Only the owner updates or closes the account. */
export const membershipRoles = ['owner', 'member'] as const;
export type MembershipRole = (typeof membershipRoles)[number];

/**
 * The identity behind a request, which is read from one row for every request, and its client. The row is that of a
 * session or of an API key.
 */
export interface Principal {
  /** Null for an API key, with which no operation on sessions can be called. */
  readonly sessionId: string | null;
  /** The user who logged in, or null when only an account did. */
  readonly userId: string | null;
  /** The account whose own password was used to log in, or null. */
  readonly openedAccountId: string | null;
  /** The account that the principal acts for, or null. */
  readonly accountId: string | null;
  readonly membershipRole: MembershipRole | null;
  readonly role: Role;
  /** Whether the subject has a second factor, or signed in through a provider, which is responsible for it. */
  readonly secondFactor: boolean;
  /**
   * The id of the user, of the account when there is no user, or of the API key. It identifies the principal in logs and
   * records.
   */
  readonly subjectId: string;
  readonly device: Device;
  /** When the login was, or when the password or the second factor was last confirmed in this session. */
  readonly authenticatedAt: Date;
  /** What an API key may do; null for a session, which may do all that its role allows. */
  readonly scopes: readonly string[] | null;
  /** The version of the API to which the account or the API key is pinned; null for people who act for no account. */
  readonly pinnedVersion: string | null;
}

export function isAdmin(principal: Pick<Principal, 'role'> | null): boolean {
  return principal?.role === 'admin';
}

/** Whether the principal is a person of the back office. */
export function isBackOffice(principal: Pick<Principal, 'role'> | null): boolean {
  return isAdmin(principal) || principal?.role === 'support';
}

/** Whether the principal has to set up a second factor before anything else. */
export function mustEnrol(
  principal: Pick<Principal, 'role' | 'secondFactor'>,
  { requireAdminOtp }: { readonly requireAdminOtp: boolean },
): boolean {
  return requireAdminOtp && isBackOffice(principal) && !principal.secondFactor;
}

/** @throws DomainError `forbidden` with the message unless the principal is an admin */
export function assertAdmin(principal: Principal, message: string): void {
  if (!isAdmin(principal)) throw new DomainError('forbidden', message);
}

/** @throws DomainError `forbidden` with the message unless the principal is of the back office */
export function assertBackOffice(principal: Principal, message: string): void {
  if (!isBackOffice(principal)) throw new DomainError('forbidden', message);
}

/** Whether the principal acts for any account: admins and platform systems do. */
export function isOperator(principal: Principal | null): boolean {
  return isAdmin(principal) || principal?.role === 'platform';
}

/** Whether the principal sees all accounts: the back office and platform systems do. */
export function seesAllAccounts(principal: Principal | null): boolean {
  return isBackOffice(principal) || isOperator(principal);
}

/** @throws DomainError `forbidden` with the message unless the principal sees all accounts */
export function assertSeesAllAccounts(principal: Principal, message: string): void {
  if (!seesAllAccounts(principal)) throw new DomainError('forbidden', message);
}

/** @throws DomainError `forbidden` with the message unless the principal acts for any account */
export function assertOperator(principal: Principal, message: string): void {
  if (!isOperator(principal)) throw new DomainError('forbidden', message);
}

export function owns(principal: Principal, accountId: string): boolean {
  return principal.membershipRole === 'owner' && principal.accountId === accountId;
}

/** Whether the principal may use the account's resources: transactions, payment requests and subscriptions. */
export function mayActFor(principal: Principal, accountId: string): boolean {
  return isOperator(principal) || principal.accountId === accountId;
}

/**
 * The error for a valid token without the permission, on the operations where the interface demands `unauthorized`
 * (section 7). Its message makes clear that refreshing the token does not help.
 * @param reason completes the sentence "The token is valid, but …"
 */
export function insufficientPermission(reason: string): DomainError {
  return new DomainError('unauthorized', `The token is valid, but ${reason}`);
}

/**
 * Requires a recent login for changes by which someone with a stolen token could take over a user or an account, or
 * give or take the access of others. Operations that ask for the current password do not need it.
 */
export class RecentLogin {
  /** @param settings 0 disables the check */
  constructor(
    private readonly clock: Clock,
    private readonly settings: { readonly recentLoginSeconds: number },
  ) {}

  /** @throws DomainError `unauthorized` */
  assert({ authenticatedAt }: Principal): void {
    const { recentLoginSeconds } = this.settings;
    const seconds = (this.clock.now().getTime() - authenticatedAt.getTime()) / SECOND_MS;
    if (recentLoginSeconds === 0 || seconds <= recentLoginSeconds) return;
    throw insufficientPermission(
      `this requires a login within the last ${recentLoginSeconds} seconds. Log in again.`,
    );
  }
}
