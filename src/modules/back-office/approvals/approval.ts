import { DAY_MS, timeOfChange } from '../../../kernel/clock';
import { DomainError } from '../../../kernel/domain-error';
import type { FieldsOf } from '../../../kernel/entity';
import { EventSource } from '../../../kernel/entity';
import { isId, newId } from '../../../kernel/ids';
import type { AuditEvent } from '../../../platform/audit/audit-trail';
import type { ApprovalStatus } from './approval.lifecycle';
import { approvalLifecycle } from './approval.lifecycle';

/** What needs a second admin. A module registers each of them (ApprovalKinds). */
export const approvalTypes = [
  'close_account',
  'make_admin',
  'adjustment',
  'transaction',
  'transfer',
  'settle_transaction',
  'settle_payment_request',
] as const;
export type ApprovalType = (typeof approvalTypes)[number];

const PENDING_DAYS = 7;

/** What is asked for. */
export type ApprovalRequest = Pick<
  Approval,
  'type' | 'accountId' | 'objectId' | 'details' | 'reason' | 'requestedBy'
>;

/**
 * Something that one admin asks for, and that takes effect when another one approves it. Only operators see its events.
 */
export class Approval extends EventSource {
  /** The account that it is about; where there is none, the id of the object. */
  readonly accountId: string;
  readonly id: string;
  readonly type: ApprovalType;
  /** The account to close, the user to make an admin, the adjustment to post, and so on. */
  readonly objectId: string;
  /** What an approver should know besides, as JSON. */
  readonly details: Readonly<Record<string, unknown>>;
  readonly reason: string;
  status: ApprovalStatus;
  readonly requestedBy: string;
  /** The admin who approved or rejected it; null while it is pending, and when it has expired. */
  decidedBy: string | null;
  /** Why it was rejected. */
  rejectionReason: string | null;
  readonly createdAt: Date;
  updatedAt: Date;
  readonly expiresAt: Date;

  private constructor(fields: FieldsOf<Approval>) {
    super();
    Object.assign(this, fields);
  }

  static create(request: ApprovalRequest, now: Date): Approval {
    return new Approval({
      ...request,
      id: newId('apr', now),
      status: 'pending',
      decidedBy: null,
      rejectionReason: null,
      createdAt: now,
      updatedAt: now,
      expiresAt: new Date(now.getTime() + PENDING_DAYS * DAY_MS),
      eventCount: 0,
    }).addEvent('approval.created', null);
  }

  /** Whether the admin has decided so before: a repeat of the request then has the same response. */
  wasDecidedBy(userId: string, status: ApprovalStatus): boolean {
    return this.status === status && this.decidedBy === userId;
  }

  /** @throws DomainError `forbidden` for the admin who asked; `conflict` when it is not pending any more */
  assertApprovableBy(userId: string, now: Date): void {
    if (userId === this.requestedBy)
      throw new DomainError('forbidden', 'Another admin than the one who asked has to approve it.');
    approvalLifecycle.transition('approve', this.status);
    if (this.isDue(now)) throw new DomainError('conflict', 'The approval has expired. Ask for it again.');
  }

  /** Whether it has been pending for too long. */
  isDue(now: Date): boolean {
    return this.status === 'pending' && this.expiresAt <= now;
  }

  approve(userId: string, now: Date): void {
    this.transition('approve', now);
    this.decidedBy = userId;
  }

  /** @throws DomainError `conflict` when it is not pending any more */
  reject(userId: string, reason: string, now: Date): void {
    this.transition('reject', now);
    this.decidedBy = userId;
    this.rejectionReason = reason;
  }

  expire(now: Date): void {
    this.transition('expire', now);
  }

  private transition(name: keyof typeof approvalLifecycle.transitions, now: Date): void {
    this.status = approvalLifecycle.transition(name, this.status);
    this.updatedAt = timeOfChange(this.updatedAt, now);
    this.addEvent(`approval.${this.status}`, null);
  }
}

/** The event of an action on an approval for the audit log. */
export function describeAction(
  action: string,
  { id, type, objectId, accountId }: Approval,
  reason: string | null,
): AuditEvent {
  return {
    action,
    objectId: id,
    accountId: isId('acc', accountId) ? accountId : null,
    reason,
    details: { type, about: objectId },
  };
}
