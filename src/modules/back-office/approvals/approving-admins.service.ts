import { Inject, Injectable } from '@nestjs/common';
import { DomainError } from '../../../kernel/domain-error';
import { Tx } from '../../../platform/database/tx';
import { assertAdmin, Credentials, Principal, RecentLogin } from '../../auth';
import { ApprovalsSettings, approvalsSettings } from './approvals.settings';

const ADMINS_ONLY = 'Only admins can ask for approvals and decide them.';

/** Who may ask for approvals and decide them. */
@Injectable()
export class ApprovingAdmins {
  constructor(
    private readonly recentLogin: RecentLogin,
    private readonly credentials: Credentials,
    @Inject(approvalsSettings.token) private readonly settings: ApprovalsSettings,
  ) {}

  /** @throws DomainError `forbidden` for callers other than admins; `unauthorized` without a recent login */
  assertMayDecide(caller: Principal): void {
    assertAdmin(caller, ADMINS_ONLY);
    this.recentLogin.assert(caller);
  }

  /**
   * Locks both until `tx` ends. A person who has set the password of one of them could act as both.
   * @throws DomainError `conflict` for the one who asked, `forbidden` for the one who approves
   */
  async assertTwo(tx: Tx, requesterId: string, approverId: string): Promise<void> {
    const admins = await this.credentials.lockAdmins(tx, [requesterId, approverId]);
    const [requester, approver] = [admins.get(requesterId), admins.get(approverId)];
    if (requester === undefined)
      throw new DomainError('conflict', 'The admin who asked for it is no active admin any more. Reject it.');
    if (approver === undefined) throw new DomainError('forbidden', ADMINS_ONLY);
    if (!this.settings.required) return;
    if (approver.passwordSetByOther)
      throw new DomainError(
        'forbidden',
        'Somebody else has set your password. Set another one by the link of POST /v1/auth/password-reset, then approve.',
      );
    if (requester.passwordSetByOther)
      throw new DomainError(
        'conflict',
        'Somebody else has set the password of the admin who asked for it, who first sets another one by the link of POST /v1/auth/password-reset.',
      );
  }
}
