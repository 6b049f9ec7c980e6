import { Clock, SECOND_MS } from '../../../kernel/clock';
import { insufficientPermission, Principal } from '../domain/principal';

/**
 * Requires a recent login for changes by which someone with a stolen token could take over a user or an account, or
 * give or take the access of others. Operations that ask for the current password do not need it.
 */
export class RecentLogin {
  /** @param maxSeconds 0 disables the check */
  constructor(
    private readonly clock: Clock,
    private readonly maxSeconds: number,
  ) {}

  /** @throws DomainError `unauthorized` */
  assert({ authenticatedAt }: Principal): void {
    const seconds = (this.clock.now().getTime() - authenticatedAt.getTime()) / SECOND_MS;
    if (this.maxSeconds === 0 || seconds <= this.maxSeconds) return;
    throw insufficientPermission(
      `this requires a login within the last ${this.maxSeconds} seconds. Log in again.`,
    );
  }
}
