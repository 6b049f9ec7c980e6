import { Inject, Injectable } from '@nestjs/common';
import { DomainError } from '../../../kernel/domain-error';
import { AuditTrail, systemActor } from '../../../platform/audit/audit-trail';
import { Database, IdempotentOperation, StoredResponse, Tx } from '../../../platform/database/database';
import {
  AccountScopedReader,
  assertAdmin,
  Credentials,
  isBackOffice,
  Principal,
  RecentLogin,
} from '../../auth';
import { Approval, ApprovalKinds, describeAction } from './approval';
import { ApprovalFilter, ApprovalsRepository } from './approvals.repository';
import { Approvals } from './approvals.service';
import { approvalsSettings, ApprovalsSettings } from './approvals.settings';

const ADMINS_ONLY = 'Only admins can ask for approvals and decide them.';
const BACK_OFFICE_ONLY = 'Only the back office can read approvals.';

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

/** Asks for approvals, reads them on behalf of the back office, and decides them. */
@Injectable()
export class ApprovalDecisions extends AccountScopedReader<Approval, ApprovalFilter> {
  constructor(
    private readonly database: Database,
    private readonly repository: ApprovalsRepository,
    private readonly kinds: ApprovalKinds,
    private readonly approvals: Approvals,
    private readonly admins: ApprovingAdmins,
    private readonly audit: AuditTrail,
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
      const request = { ...(await kind.prepare(tx, objectId, now)), type, objectId, reason };
      const pending = await this.repository.findPending(tx, request, now);
      if (pending !== null) throw new DomainError('conflict', `This is asked for already: ${pending}.`);
      return this.approvals.add(tx, caller, request, now);
    });
  }

  /**
   * Approves, and carries out what was asked for in the same database transaction. A repeat by the same admin has the
   * same response.
   * @param reason why, for the audit log
   * @throws DomainError `forbidden` for callers other than admins, and for the one who asked; `unauthorized` without a
   * recent login; `not_found`; `conflict` when it is decided or has expired, or the one who asked is no active admin any
   * more; both where somebody else has set the password of the admin in question; and whatever prevents the effect, after
   * which it is still pending
   */
  async approve(caller: Principal, id: string, reason: string | null = null): Promise<Readonly<Approval>> {
    for (;;) {
      const approval = await this.decide(caller, id, 'approved', async (tx, locked, now) => {
        locked.assertApprovableBy(caller.subjectId, now);
        await this.admins.assertTwo(tx, locked.requestedBy, caller.subjectId);
        if (!(await this.kinds.get(locked.type).execute(tx, locked, caller, now))) return false;
        locked.approve(caller.subjectId, now);
        this.repository.save(tx, locked);
        this.audit.record(tx, caller, describeAction('approval.approve', locked, reason));
        return true;
      });
      if (approval !== null) return approval;
    }
  }

  /**
   * Rejects what was asked for. The admin who asked withdraws it so. A repeat by the same admin has the same response.
   * @throws DomainError `forbidden` for callers other than admins; `unauthorized` without a recent login; `not_found`;
   * `conflict` when it is decided
   */
  async reject(caller: Principal, id: string, reason: string): Promise<Readonly<Approval>> {
    const approval = await this.decide(caller, id, 'rejected', async (tx, locked, now) => {
      locked.reject(caller.subjectId, reason, now);
      await this.saveDismissed(tx, locked, now);
      this.audit.record(tx, caller, describeAction('approval.reject', locked, reason));
      return true;
    });
    return approval!;
  }

  /** Ends approvals which nobody has decided in time. */
  expire(accountId: string, ids: readonly string[]): Promise<void> {
    return this.database.transaction(async (tx, now) => {
      for (const id of ids) {
        const approval = await this.repository.lock(tx, accountId, id);
        if (!approval?.isDue(now)) continue;
        approval.expire(now);
        await this.saveDismissed(tx, approval, now);
        this.audit.record(tx, systemActor, describeAction('approval.expire', approval, null));
      }
    });
  }

  private async saveDismissed(tx: Tx, approval: Approval, now: Date): Promise<void> {
    this.repository.save(tx, approval);
    await this.kinds.get(approval.type).dismiss?.(tx, approval, now);
  }

  /** @returns null when `decision` has done only a part of it */
  private async decide(
    caller: Principal,
    id: string,
    status: 'approved' | 'rejected',
    decision: (tx: Tx, locked: Approval, now: Date) => Promise<boolean>,
  ): Promise<Approval | null> {
    this.admins.assertMayDecide(caller);
    const { accountId } = await this.get(caller, id);
    return this.database.transaction(async (tx, now) => {
      const locked = (await this.repository.lock(tx, accountId, id))!;
      if (locked.wasDecidedBy(caller.subjectId, status)) return locked;
      return (await decision(tx, locked, now)) ? locked : null;
    });
  }
}
