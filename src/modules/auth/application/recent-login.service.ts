import type { Clock } from '../../../kernel/clock';
import { SECOND_MS } from '../../../kernel/clock';
import type { Principal } from '../domain/principal';
import { insufficientPermission } from '../domain/principal';
import { RecentLogin } from '../domain/recent-login';

export class RecentLoginService extends RecentLogin {
  /** @param maxSeconds 0 disables the check */
  constructor(
    private readonly clock: Clock,
    private readonly maxSeconds: number,
  ) {
    super();
  }

  assert({ authenticatedAt }: Principal): void {
    const seconds = (this.clock.now().getTime() - authenticatedAt.getTime()) / SECOND_MS;
    if (this.maxSeconds === 0 || seconds <= this.maxSeconds) return;
    throw insufficientPermission(
      `this requires a login within the last ${this.maxSeconds} seconds. Log in again.`,
    );
  }
}
