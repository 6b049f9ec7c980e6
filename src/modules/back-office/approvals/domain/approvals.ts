import type { CursorPage, CursorRequest } from '../../../../kernel/pages';
import type { IdempotentOperation, StoredResponse } from '../../../../platform/database/database';
import type { Tx } from '../../../../platform/database/tx';
import type { Principal, Role } from '../../../auth';
import type { Approval, ApprovalRequest, ApprovalType } from './approval';
import type { ApprovalFilter } from './approvals.repository';

/** What takes effect when a second admin approves it. */
export abstract class Approvals {
  /** For operations that an admin would complete alone. @throws DomainError `conflict` where approvals are required */
  abstract assertNotRequired(type: ApprovalType): void;

  /**
   * For changes with which an admin could sign in as another one, and then approve what the first one asks for.
   * @param advice what the caller does instead
   * @throws DomainError `forbidden` for the login of another admin where approvals are required
   */
  abstract assertMayChangeLogin(caller: Principal, more: { id: string; role: Role }, advice: string): void;

  /**
   * Asks for an approval of a type that an admin can ask for directly.
   * @throws DomainError `forbidden` for callers other than admins; `unauthorized` without a recent login; `not_found`;
   * `conflict` when it would have no effect, or is pending already; `invalid_request` for an object that cannot be meant
   */
  abstract request(
    caller: Principal,
    request: Pick<Approval, 'type' | 'objectId' | 'reason'>,
    operation: IdempotentOperation<Approval>,
  ): Promise<StoredResponse>;

  /** Adds an approval for what a module has prepared in `tx`. */
  abstract add(tx: Tx, caller: Principal, request: ApprovalRequest, now: Date): Approval;

  /** @throws DomainError `forbidden` for callers other than the back office; `invalid_request` for an unknown cursor */
  abstract list(
    caller: Principal,
    filter: ApprovalFilter,
    page: CursorRequest,
  ): Promise<CursorPage<Readonly<Approval>>>;

  /** @throws DomainError `forbidden`, `not_found` */
  abstract get(caller: Principal, id: string): Promise<Readonly<Approval>>;

  /** What a text names, as in AccountScopedReader; nothing for callers other than the back office. */
  abstract search(
    caller: Principal,
    text: string,
    filters: readonly ApprovalFilter[],
    limit: number,
  ): Promise<readonly Readonly<Approval>[]>;

  /**
   * Approves, and carries out what was asked for in the same database transaction. A repeat by the same admin has the
   * same response.
   * @param reason why, for the audit log
   * @throws DomainError `forbidden` for callers other than admins, and for the one who asked; `unauthorized` without a
   * recent login; `not_found`; `conflict` when it is decided or has expired, or the one who asked is no active admin any
   * more; both where somebody else has set the password of the admin in question; and whatever prevents the effect, after which it is still pending
   */
  abstract approve(caller: Principal, id: string, reason?: string | null): Promise<Readonly<Approval>>;

  /**
   * Rejects what was asked for. The admin who asked withdraws it so. A repeat by the same admin has the same response.
   * @throws DomainError `forbidden` for callers other than admins; `unauthorized` without a recent login; `not_found`;
   * `conflict` when it is decided
   */
  abstract reject(caller: Principal, id: string, reason: string): Promise<Readonly<Approval>>;
}
