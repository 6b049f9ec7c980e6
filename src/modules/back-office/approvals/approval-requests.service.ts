import { Inject, Injectable } from '@nestjs/common';
import { DomainError } from '../../../kernel/domain-error';
import { Database, IdempotentOperation, StoredResponse, Tx } from '../../../platform/database/database';
import {
  AccountScopedReader,
  assertAdmin,
  Credentials,
  isBackOffice,
  Principal,
  RecentLogin,
} from '../../auth';
import { Approval, ApprovalKinds } from './approval';
import { ApprovalFilter, ApprovalsRepository } from './approvals.repository';
import { Approvals } from './approvals.service';
import { approvalsSettings, ApprovalsSettings } from './approvals.settings';

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

const BACK_OFFICE_ONLY = 'Only the back office can read approvals.';

/** Asks for approvals, and reads them on behalf of the back office. */
@Injectable()
export class ApprovalRequests extends AccountScopedReader<Approval, ApprovalFilter> {
  constructor(
    private readonly database: Database,
    private readonly repository: ApprovalsRepository,
    private readonly kinds: ApprovalKinds,
    private readonly approvals: Approvals,
    private readonly admins: ApprovingAdmins,
  ) {
    super('apr', 'approval', repository, { include: isBackOffice, message: BACK_OFFICE_ONLY });
  }

  /**
   * Asks for an approval of a type that an admin can ask for directly.
   * @throws DomainError `forbidden` for callers other than admins; `unauthorized` without a recent login; `not_found`;
   * `conflict` when it would have no effect, or is pending already; `invalid_request` for an object that cannot be meant
   */
  async request(
    caller: Principal,
    { type, objectId, reason }: Pick<Approval, 'type' | 'objectId' | 'reason'>,
    operation: IdempotentOperation<Approval>,
  ): Promise<StoredResponse> {
    this.admins.assertMayDecide(caller);
    const kind = this.kinds.get(type);
    return this.database.idempotent(operation, async (tx, now) => {
      if (kind.prepare === undefined)
        throw new DomainError('invalid_request', `An operation of its own asks for the type ${type}.`);
      const prepared = await kind.prepare(tx, objectId, now);
      const request = { ...prepared, type, objectId, reason, requestedBy: caller.subjectId };
      const pending = await this.repository.findPending(tx, request, now);
      if (pending !== null) throw new DomainError('conflict', `This is asked for already: ${pending}.`);
      return this.approvals.add(tx, caller, request, now);
    });
  }
}
