import { Inject, Injectable } from '@nestjs/common';
import { DomainError } from '../../../../kernel/domain-error';
import { CursorPage, CursorRequest } from '../../../../kernel/pages';
import { AuditTrail } from '../../../../platform/audit/audit-trail';
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
import { Approvals } from '../domain/approvals';
import { ApprovalFilter, ApprovalsRepository } from '../domain/approvals.repository';
import { describeAction } from './approval-audit';

const BACK_OFFICE_ONLY = 'Only the back office can read approvals.';
const ADMINS_ONLY = 'Only admins can ask for approvals and decide them.';

@Injectable()
export class ApprovalsService extends Approvals {
  private readonly reader: AccountScopedReader<Approval, ApprovalFilter>;

  constructor(
    private readonly database: Database,
    private readonly repository: ApprovalsRepository,
    private readonly audit: AuditTrail,
    private readonly kinds: ApprovalKinds,
    private readonly credentials: Credentials,
    private readonly recentLogin: RecentLogin,
    @Inject(approvalsSettings.token) private readonly settings: ApprovalsSettings,
  ) {
    super();
    this.reader = new AccountScopedReader('apr', 'approval', repository);
  }

  assertNotRequired(type: ApprovalType): void {
    if (this.settings.required)
      throw new DomainError(
        'conflict',
        `A second admin has to approve this. Ask for it: POST /v1/approvals with the type ${type}.`,
      );
  }

  assertMayChangeLogin(caller: Principal, { id, role }: { id: string; role: Role }, advice: string): void {
    if (this.settings.required && role === 'admin' && id !== caller.userId)
      throw new DomainError(
        'forbidden',
        `Where approvals are required, nobody changes how another admin signs in. ${advice}`,
      );
  }

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

  add(tx: Tx, caller: Principal, request: ApprovalRequest, now: Date): Approval {
    const approval = Approval.create(request, now);
    this.repository.add(tx, approval);
    this.audit.record(tx, caller, describeAction('approval.request', approval, approval.reason));
    return approval;
  }

  async list(
    caller: Principal,
    filter: ApprovalFilter,
    page: CursorRequest,
  ): Promise<CursorPage<Readonly<Approval>>> {
    assertBackOffice(caller, BACK_OFFICE_ONLY);
    return this.reader.list(caller, filter, page);
  }

  async get(caller: Principal, id: string): Promise<Readonly<Approval>> {
    assertBackOffice(caller, BACK_OFFICE_ONLY);
    return this.reader.get(caller, id);
  }

  async search(
    caller: Principal,
    text: string,
    filters: readonly ApprovalFilter[],
    limit: number,
  ): Promise<readonly Readonly<Approval>[]> {
    return isBackOffice(caller) ? this.reader.search(caller, text, filters, limit) : [];
  }

  async approve(caller: Principal, id: string, reason: string | null = null): Promise<Readonly<Approval>> {
    for (;;) {
      const approval = await this.decide(caller, id, 'approved', async (tx, locked, now) => {
        locked.assertApprovableBy(caller.subjectId, now);
        await this.assertTwoAdmins(tx, locked.requestedBy, caller.subjectId);
        if (!(await this.kinds.get(locked.type).execute(tx, locked, caller, now))) return false;
        locked.approve(caller.subjectId, now);
        this.repository.save(tx, locked);
        this.audit.record(tx, caller, describeAction('approval.approve', locked, reason));
        return true;
      });
      if (approval !== null) return approval;
    }
  }

  async reject(caller: Principal, id: string, reason: string): Promise<Readonly<Approval>> {
    const approval = await this.decide(caller, id, 'rejected', async (tx, locked, now) => {
      locked.reject(caller.subjectId, reason, now);
      this.repository.save(tx, locked);
      await this.kinds.get(locked.type).dismiss?.(tx, locked, now);
      this.audit.record(tx, caller, describeAction('approval.reject', locked, reason));
      return true;
    });
    return approval!;
  }

  /**
   * Locks both until `tx` ends. A person who has set the password of one of them could act as both.
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
