import { HOUR_MS, MINUTE_MS, timeOfChange } from '../../../kernel/clock';
import { DomainError } from '../../../kernel/domain-error';
import { EventSource, type FieldsOf } from '../../../kernel/entity';
import { lifecycle, type StateOf } from '../../../kernel/lifecycle';
import { mergeMetadata, type Metadata } from '../../../kernel/metadata';
import type { AuditedMembers } from '../../../platform/audit/audit-trail';
import { type InitialState, type Outcome, SCRIPTED_FAILURE } from '../../processors';

/** Interface 3.3, row by row. A settled transaction is refunded, never canceled: its money has moved. */
export const transactionLifecycle = lifecycle({
  states: ['pending', 'succeeded', 'failed', 'canceled'],
  initial: ['pending', 'succeeded', 'failed'],
  transitions: {
    settle: { from: ['pending'], to: 'succeeded' },
    fail: { from: ['pending'], to: 'failed' },
    cancel: {
      from: ['pending'],
      to: 'canceled',
      error: 'not_cancellable',
      advice: 'Create a refund to return money that has moved.',
    },
  },
});

export type TransactionStatus = StateOf<typeof transactionLifecycle>;

export const transactionTypes = ['payment', 'credit', 'refund'] as const;
/** `payment` and `credit` bring money into the account, `refund` sends it out. */
export type TransactionType = (typeof transactionTypes)[number];

/** The names of the transitions of the lifecycle. */
export type TransitionName = keyof typeof transactionLifecycle.transitions;

/** What callers write about a transaction, when they create it and later; null clears it. */
export interface TransactionDescription {
  readonly reference?: string | null;
  readonly metadata?: Metadata | null;
}

type Described = Pick<Transaction, keyof TransactionDescription>;

type NewTransaction = Described &
  Pick<Transaction, 'id' | 'accountId' | 'amount' | 'currency' | 'type' | 'sourceTransactionId'> &
  Partial<Pick<Transaction, 'processorReference' | 'paymentRequestId' | 'countedAdminId'>>;

/** What a new transaction has of a description, in full. */
export function described({ reference = null, metadata }: TransactionDescription): Described {
  return { reference, metadata: metadata ?? {} };
}

/** A refund is sent again, or its state retrieved, after half its age, within these bounds. */
const MIN_RESEND_MS = MINUTE_MS;
const MAX_RESEND_MS = 6 * HOUR_MS;

const IS_SENT = 'The refund has been sent to the processor, which reports the outcome.';

/** A transaction as other modules get it: its methods change it, but its members cannot be assigned. */
export type ReadonlyTransaction = Readonly<Transaction>;

/** Money that moves into or out of an account (interface 2.3). Amount, currency and type never change. */
export class Transaction extends EventSource {
  readonly accountId: string;
  readonly id: string;
  /** Minor units. */
  readonly amount: number;
  readonly currency: string;
  readonly type: TransactionType;
  status: TransactionStatus;
  reference: string | null;
  /**
   * The reference at the creation, once it has been changed: empty if there was none. Null while it is as it was, also for
   * changes that older versions made.
   */
  firstReference: string | null;
  metadata: Metadata;
  /** The payment that a refund pays back, or null. */
  readonly sourceTransactionId: string | null;
  /** The payment request that the payment paid, or null. */
  readonly paymentRequestId: string | null;
  /** Of a payment: the sum of its pending and succeeded refunds, in minor units. */
  refunded: number;
  /** When the transaction ends, and how; null when the outcome is reported. */
  settlesAt: Date | null;
  dueOutcome: Outcome | null;
  /** The reason that the processor or an operator reported, or the sandbox, where there is one. */
  failureReason: string | null;
  /** The processor's id of the payment or of the refund, where it moved the money. */
  processorReference: string | null;
  /** The approval that it waits or waited for, and when a second admin gave it; null where none is needed. */
  approvalId: string | null;
  approvedAt: Date | null;
  /** The admin to whose limit its amount was added at the creation; null for none, also in what older versions created. */
  readonly countedAdminId: string | null;
  /** When it is next sent to the processor, and when it was first sent. */
  sendAt: Date | null;
  sentAt: Date | null;
  readonly createdAt: Date;
  updatedAt: Date;

  private constructor(fields: FieldsOf<Transaction, 'direction' | 'awaitsApproval'>) {
    super();
    Object.assign(this, fields);
  }

  static create(request: NewTransaction, initialState: InitialState, at: Date): Transaction {
    // One that ends at its creation has one event.
    const action = initialState.status === 'pending' ? 'created' : initialState.status;
    return new Transaction({
      processorReference: null,
      paymentRequestId: null,
      countedAdminId: null,
      firstReference: null,
      status: initialState.status,
      refunded: 0,
      failureReason: initialState.status === 'failed' ? SCRIPTED_FAILURE : null,
      approvalId: null,
      approvedAt: null,
      sentAt: null,
      eventCount: 0,
      createdAt: at,
      updatedAt: at,
      // Last, as on paths that each creation takes: until Node.js 22, a member after a spread costs a microsecond.
      ...scheduleEnd(initialState, at),
      ...request,
    }).addEvent(`transaction.${action}`, request.accountId);
  }

  get direction(): 'in' | 'out' {
    return this.type === 'refund' ? 'out' : 'in';
  }

  /** Whether it is pending until a second admin approves it. */
  get awaitsApproval(): boolean {
    return this.status === 'pending' && this.approvalId !== null && this.approvedAt === null;
  }

  awaitApproval(approvalId: string): void {
    this.approvalId = approvalId;
  }

  /**
   * A second admin has approved it: what ends a new transaction now ends this one.
   * @throws DomainError `conflict` unless it waits for that
   */
  approve(initialState: InitialState, now: Date): void {
    if (!this.awaitsApproval)
      throw new DomainError('conflict', `The transaction is ${this.status} and waits for no approval.`);
    const { settlesAt, dueOutcome, sendAt } = scheduleEnd(initialState, now);
    this.settlesAt = settlesAt;
    this.dueOutcome = dueOutcome;
    this.sendAt = sendAt;
    this.approvedAt = now;
    this.updatedAt = timeOfChange(this.updatedAt, now);
    // One that ends now has the event of its end only.
    if (initialState.status === 'pending') this.addEvent('transaction.updated', this.accountId);
  }

  /** Sets what the change has, and merges the metadata. @throws DomainError `invalid_request` */
  annotate(change: TransactionDescription, now: Date): void {
    if (change.reference !== undefined) {
      if (change.reference !== this.reference) this.firstReference ??= this.reference ?? '';
      this.reference = change.reference;
    }
    if (change.metadata !== undefined) this.metadata = mergeMetadata(this.metadata, change.metadata);
    this.updatedAt = timeOfChange(this.updatedAt, now);
    this.addEvent('transaction.updated', this.accountId);
  }

  /** What the audit log shows of changes. A status is in the action. */
  audited(): Described & AuditedMembers {
    const { reference, metadata } = this;
    return { reference, metadata };
  }

  /** The refund is about to be sent to the processor, which from now on reports the outcome. */
  beginAttempt(now: Date): void {
    const delayMs = (now.getTime() - this.createdAt.getTime()) / 2;
    this.sentAt ??= now;
    this.sendAt = new Date(now.getTime() + Math.min(Math.max(delayMs, MIN_RESEND_MS), MAX_RESEND_MS));
  }

  /** Records what the processor reports on the refund, except its status. */
  applyReport(report: { readonly reference: string | null; readonly failureReason: string | null }): void {
    this.processorReference = report.reference;
    this.failureReason = report.failureReason;
  }

  /** @throws DomainError `not_cancellable` for a cancel, else `conflict`, when the transition is not possible */
  assertCan(transition: TransitionName): void {
    transactionLifecycle.transition(transition, this.status);
    if (transition === 'cancel' && this.sentAt !== null) {
      throw new DomainError('not_cancellable', IS_SENT);
    }
  }

  /** @throws DomainError `conflict` when the processor reports the outcome, or while it waits for an approval */
  assertReportable(): void {
    if (this.awaitsApproval)
      throw new DomainError(
        'conflict',
        `The transaction waits for the approval ${this.approvalId} of a second admin.`,
      );
    if (this.status === 'pending' && this.sentAt !== null) {
      throw new DomainError('conflict', IS_SENT);
    }
  }

  /** @throws DomainError by the lifecycle */
  apply(transition: TransitionName, now: Date, failureReason = this.failureReason): void {
    this.status = transactionLifecycle.transition(transition, this.status);
    this.failureReason = failureReason;
    this.sendAt = null;
    this.updatedAt = timeOfChange(this.updatedAt, now);
    this.addEvent(`transaction.${this.status}`, this.accountId);
  }

  /** @throws DomainError `invalid_request` unless this is a succeeded payment with enough left to refund */
  assertRefundable(amount: number): void {
    if (this.type !== 'payment' || this.status !== 'succeeded') {
      throw new DomainError(
        'invalid_request',
        'source_transaction_id must name a succeeded payment of the account.',
      );
    }
    const left = this.amount - this.refunded;
    if (amount > left) {
      throw new DomainError(
        'invalid_request',
        `The refund exceeds what is left of the source transaction, ${left} minor units.`,
      );
    }
  }

  /** Reserves a part of this payment for a refund. @throws DomainError like `assertRefundable` */
  holdRefund(amount: number): void {
    this.assertRefundable(amount);
    this.refunded += amount;
  }

  /** Ends a reservation: the refund ends unpaid. */
  releaseRefund(amount: number): void {
    this.refunded -= amount;
  }
}

/** What ends a transaction by itself, if anything does. */
function scheduleEnd(
  state: InitialState,
  at: Date,
): Pick<Transaction, 'settlesAt' | 'dueOutcome' | 'sendAt'> {
  const end = state.status === 'pending' ? state.endedBy : null;
  const schedule = end?.by === 'schedule' ? end : null;
  return {
    settlesAt: schedule?.settlesAt ?? null,
    dueOutcome: schedule?.outcome ?? null,
    sendAt: end?.by === 'processor' ? at : null,
  };
}
