import type { Principal } from './principal';

/**
 * Requires a recent login for changes by which someone with a stolen token could take over a user or an account, or
 * give or take the access of others. Operations that ask for the current password do not need it.
 */
export abstract class RecentLogin {
  /** @throws DomainError `unauthorized` */
  abstract assert(principal: Principal): void;
}
