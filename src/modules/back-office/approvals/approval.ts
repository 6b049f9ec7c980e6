import { DAY_MS, timeOfChange } from '../../../kernel/clock';
import { DomainError } from '../../../kernel/domain-error';
import { EventSource, type FieldsOf } from '../../../kernel/entity';
import { ExtensionPoint } from '../../../kernel/extension-point';
import { isId, newId } from '../../../kernel/ids';
import { lifecycle, type StateOf } from '../../../kernel/lifecycle';
import type { AuditEvent } from '../../../platform/audit/audit-trail';
import type { Tx } from '../../../platform/database/database';
import type { Principal } from '../../auth';

/** An approval is decided once, and its effect takes place in the database transaction of `approve`. */
export const approvalLifecycle = lifecycle({
  states: ['pending', 'approved', 'rejected', 'expired'],
  initial: ['pending'],
  transitions: {
    approve: { from: ['pending'], to: 'approved' },
    reject: { from: ['pending'], to: 'rejected' },
    expire: { from: ['pending'], to: 'expired' },
  },
});

export type ApprovalStatus = StateOf<typeof approvalLifecycle>;

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
export type ApprovalRequest = Pick<Approval, 'type' | 'accountId' | 'objectId' | 'details' | 'reason'>;

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

  static create(request: ApprovalRequest & Pick<Approval, 'requestedBy'>, now: Date): Approval {
    return new Approval({
      ...request,
      id: newId('apr', now, request.accountId),
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

/** How the module that owns the object carries out one type of approval. */
export interface ApprovalKind {
  readonly name: ApprovalType;
  /**
   * Locks the object that an admin names and checks that the approval would have an effect. Types without it are only
   * asked for by an operation of their module.
   * @returns the account that the object is or belongs to, or else the id of the object; and what an approver should know
   * @throws DomainError `not_found`, `conflict`, `invalid_request`
   */
  prepare?(tx: Tx, objectId: string, now: Date): Promise<Pick<Approval, 'accountId' | 'details'>>;
  /**
   * Carries out what was approved. It locks the object and checks again.
   * @returns false when only a part of it is done, and it goes on in another database transaction
   */
  execute(tx: Tx, approval: Readonly<Approval>, approver: Principal, now: Date): Promise<boolean>;
  /** Ends what waits for the approval, which was rejected or has expired. */
  dismiss?(tx: Tx, approval: Readonly<Approval>, now: Date): Promise<void>;
}

/** The extension point for modules with changes that need a second admin. */
export class ApprovalKinds extends ExtensionPoint<ApprovalKind> {
  constructor() {
    super(approvalTypes);
  }
}

/** Money that is moved in an account, in minor units of its currency. */
export type MovedMoney = { readonly accountId: string; readonly amount: number };
