import { Inject, Injectable } from '@nestjs/common';
import { DomainError } from '../../../../kernel/domain-error';
import { CursorPage, CursorRequest } from '../../../../kernel/pages';
import { Database, IdempotentOperation, StoredResponse } from '../../../../platform/database/database';
import { Tx } from '../../../../platform/database/tx';
import {
  AccountScopedReader,
  assertAdmin,
  assertBackOffice,
  Credentials,
  isBackOffice,
  Principal,
  RecentLogin,
  Role,
} from '../../../auth';
import { ApprovalsSettings, approvalsSettings } from '../approvals.settings';
import { Approval, ApprovalRequest, ApprovalType } from '../domain/approval';
import { ApprovalKinds } from '../domain/approval-kinds';
import { ApprovalFilter, ApprovalsRepository } from '../domain/approvals.repository';
import { ApprovalChanges } from './approval-changes';

const BACK_OFFICE_ONLY = 'Only the back office can read approvals.';
const ADMINS_ONLY = 'Only admins can ask for approvals and decide them.';

/** What takes effect when a second admin approves it. */
@Injectable()
export class Approvals {
  private readonly reader: AccountScopedReader<Approval, ApprovalFilter>;

  constructor(
    private readonly database: Database,
    private readonly repository: ApprovalsRepository,
    private readonly changes: ApprovalChanges,
    private readonly kinds: ApprovalKinds,
    private readonly credentials: Credentials,
    private readonly recentLogin: RecentLogin,
    @Inject(approvalsSettings.token) private readonly settings: ApprovalsSettings,
  ) {
    this.reader = new AccountScopedReader('apr', 'approval', repository);
  }

  /** For operations that an admin would complete alone. @throws DomainError `conflict` where approvals are required */
  assertNotRequired(type: ApprovalType): void {
    if (this.settings.required)
      throw new DomainError(
        'conflict',
        `A second admin has to approve this. Ask for it: POST /v1/approvals with the type ${type}.`,
      );
  }

  /**
   * For changes with which an admin could sign in as another one, and then approve what the first one asks for.
   * @param advice what the caller does instead
   * @throws DomainError `forbidden` for the login of another admin where approvals are required
   */
  assertMayChangeLogin(caller: Principal, { id, role }: { id: string; role: Role }, advice: string): void {
    if (this.settings.required && role === 'admin' && id !== caller.userId)
      throw new DomainError(
        'forbidden',
        `Where approvals are required, nobody changes how another admin signs in. ${advice}`,
      );
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
    assertAdmin(caller, ADMINS_ONLY);
    this.recentLogin.assert(caller);
    const kind = this.kinds.get(type);
    return this.database.idempotent(operation, async (tx, now) => {
      if (kind.prepare === undefined)
        throw new DomainError('invalid_request', `An operation of its own asks for the type ${type}.`);
      const prepared = await kind.prepare(tx, objectId, now);
      const request = { ...prepared, type, objectId, reason, requestedBy: caller.subjectId };
      const pending = await this.repository.findPending(tx, request, now);
      if (pending !== null) throw new DomainError('conflict', `This is asked for already: ${pending}.`);
      return this.add(tx, caller, request, now);
    });
  }

  /** Adds an approval for what a module has prepared in `tx`. */
  add(tx: Tx, caller: Principal, request: ApprovalRequest, now: Date): Approval {
    const approval = Approval.create(request, now);
    this.changes.add(tx, approval);
    this.changes.audit(tx, caller, 'approval.request', approval, approval.reason);
    return approval;
  }

  /** @throws DomainError `forbidden` for callers other than the back office; `invalid_request` for an unknown cursor */
  async list(
    caller: Principal,
    filter: ApprovalFilter,
    page: CursorRequest,
  ): Promise<CursorPage<Readonly<Approval>>> {
    assertBackOffice(caller, BACK_OFFICE_ONLY);
    return this.reader.list(caller, filter, page);
  }

  /** @throws DomainError `forbidden`, `not_found` */
  async get(caller: Principal, id: string): Promise<Readonly<Approval>> {
    assertBackOffice(caller, BACK_OFFICE_ONLY);
    return this.reader.get(caller, id);
  }

  /** What a text names, as in AccountScopedReader; nothing for callers other than the back office. */
  async search(
    caller: Principal,
    text: string,
    filters: readonly ApprovalFilter[],
    limit: number,
  ): Promise<readonly Readonly<Approval>[]> {
    return isBackOffice(caller) ? this.reader.search(caller, text, filters, limit) : [];
  }

  /**
   * Approves, and carries out what was asked for in the same database transaction. A repeat by the same admin has the
   * same response.
   * @param reason why, for the audit log
   * @throws DomainError `forbidden` for callers other than admins, and for the one who asked; `unauthorized` without a
   * recent login; `not_found`; `conflict` when it is decided or has expired, or the one who asked is no active admin any
   * more; both where somebody else has set the password of the admin in question; and whatever prevents the effect, after which it is still pending
   */
  async approve(caller: Principal, id: string, reason: string | null = null): Promise<Readonly<Approval>> {
    for (;;) {
      const approval = await this.decide(caller, id, 'approved', async (tx, locked, now) => {
        locked.assertApprovableBy(caller.subjectId, now);
        await this.assertTwoAdmins(tx, locked.requestedBy, caller.subjectId);
        if (!(await this.kinds.get(locked.type).execute(tx, locked, caller, now))) return false;
        this.changes.save(tx, locked, () => locked.approve(caller.subjectId, now));
        this.changes.audit(tx, caller, 'approval.approve', locked, reason);
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
      this.changes.save(tx, locked, () => locked.reject(caller.subjectId, reason, now));
      await this.kinds.get(locked.type).dismiss?.(tx, locked, now);
      this.changes.audit(tx, caller, 'approval.reject', locked, reason);
      return true;
    });
    return approval!;
  }

  /**
   * Locks both until `tx` ends. Whoever has set the password of one of them could act as both.
   * @throws DomainError `conflict` for the one who asked, `forbidden` for the one who approves
   */
  private async assertTwoAdmins(tx: Tx, requesterId: string, approverId: string): Promise<void> {
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

  /** @returns null when `decision` has done only a part of it */
  private async decide(
    caller: Principal,
    id: string,
    status: 'approved' | 'rejected',
    decision: (tx: Tx, locked: Approval, now: Date) => Promise<boolean>,
  ): Promise<Approval | null> {
    assertAdmin(caller, ADMINS_ONLY);
    this.recentLogin.assert(caller);
    const { accountId } = await this.reader.get(caller, id);
    return this.database.transaction(async (tx, now) => {
      const locked = (await this.repository.lock(tx, accountId, id))!;
      if (locked.wasDecidedBy(caller.subjectId, status)) return locked;
      return (await decision(tx, locked, now)) ? locked : null;
    });
  }
}
