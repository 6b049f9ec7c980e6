import { DAY_MS, timeOfChange } from '../../kernel/clock';
import { DomainError } from '../../kernel/domain-error';
import { EventSource, type FieldsOf } from '../../kernel/entity';
import { lifecycle, type StateOf } from '../../kernel/lifecycle';
import type { Metadata } from '../../kernel/metadata';
import { addMinorUnits } from '../../kernel/money';
import type { Direction } from '../accounts';
import { MovementHooks } from '../transactions';

/** A pending transfer holds the money of the account that gives. One that has succeeded is reversed, never canceled. */
export const transferLifecycle = lifecycle({
  states: ['pending', 'succeeded', 'canceled', 'expired'],
  initial: ['pending', 'succeeded'],
  transitions: {
    capture: { from: ['pending'], to: 'succeeded' },
    cancel: {
      from: ['pending'],
      to: 'canceled',
      error: 'not_cancellable',
      advice: 'Money that has moved is returned by a reversal.',
    },
    expire: { from: ['pending'], to: 'expired' },
  },
});

export type TransferStatus = StateOf<typeof transferLifecycle>;
export type TransferTransition = keyof typeof transferLifecycle.transitions;

const MAX_LIFETIME_DAYS = 366;

/** What one account gets of a transfer, in minor units. The name is that of the account at the time. */
export interface TransferPart {
  readonly accountId: string;
  readonly name: string;
  readonly amount: number;
  readonly reference: string | null;
}

/** When the money moves: at once, or when a pending transfer is captured. */
export const captures = ['now', 'later'] as const;
export type Capture = (typeof captures)[number];

export interface TransferTerms {
  readonly id: string;
  readonly from: { readonly id: string; readonly name: string; readonly currency: string };
  readonly parts: readonly TransferPart[];
  readonly reference: string | null;
  readonly metadata: Metadata;
  readonly capture: Capture;
  readonly expiresAt: Date | null;
  readonly reversalOf: string | null;
  readonly sourceTransactionId?: string;
}

const events = { capture: 'captured', cancel: 'canceled', expire: 'expired' } as const;

/**
 * Money that moves between accounts, as one of them sees it: the account that gives, or one that receives. All sides have
 * the same id, and their amounts sum to zero.
 */
export class Transfer extends EventSource {
  readonly accountId: string;
  readonly id: string;
  /** `out` for the account that gives. */
  readonly direction: Direction;
  /** What leaves or reaches this account, in minor units. A capture of less lowers it. */
  amount: number;
  readonly currency: string;
  status: TransferStatus;
  readonly fromAccountId: string;
  readonly fromName: string;
  /** All for the account that gives; an account that receives sees its own. */
  parts: readonly TransferPart[];
  /** The name of the other side; null where there are several. */
  readonly counterparty: string | null;
  readonly reference: string | null;
  /** Of the account that gives: the others get none. */
  readonly metadata: Metadata;
  /** What a capture of less has left with the account that gives. */
  releasedAmount: number;
  /** What reversals have sent back. */
  reversedAmount: number;
  /** The transfer whose money this one sends back, or null. */
  readonly reversalOf: string | null;
  /** The payment that it splits, or the refund that takes parts of one back; else null. Of the account that was paid. */
  readonly sourceTransactionId: string | null;
  readonly capture: Capture;
  /** When it expires while it is pending; null for never. */
  readonly expiresAt: Date | null;
  /** The approval that it waits or waited for, and when a second admin gave it; null where none is needed. */
  approvalId: string | null;
  approvedAt: Date | null;
  readonly createdAt: Date;
  updatedAt: Date;

  private constructor(fields: FieldsOf<Transfer, 'awaitsApproval' | 'receiverIds'>) {
    super();
    Object.assign(this, fields);
  }

  /**
   * Creates all sides, that of the account that gives first.
   * @param approvalId of the second admin that it waits for, or null
   * @throws DomainError `invalid_request` for a sum or an expiry that is out of range
   */
  static create(terms: TransferTerms, approvalId: string | null, at: Date): [Transfer, ...Transfer[]] {
    const { id, from, parts, reference, metadata, capture, expiresAt, reversalOf } = terms;
    const { sourceTransactionId = null } = terms;
    const status = capture === 'later' || approvalId !== null ? 'pending' : 'succeeded';
    const action = status === 'pending' ? 'created' : 'succeeded';
    const side = (own: Pick<Transfer, OwnMember>): Transfer =>
      new Transfer({
        id,
        currency: from.currency,
        status,
        fromAccountId: from.id,
        fromName: from.name,
        releasedAmount: 0,
        reversedAmount: 0,
        reversalOf,
        sourceTransactionId,
        capture,
        expiresAt: status === 'pending' ? checkedExpiry(expiresAt, at) : null,
        approvalId,
        approvedAt: null,
        eventCount: 0,
        createdAt: at,
        updatedAt: at,
        ...own,
      }).addEvent(`transfer.${action}`, own.accountId);
    const counterparty = parts.length === 1 ? parts[0]!.name : null;
    const amount = sumOf(parts);
    const received = { direction: 'in', metadata: {}, counterparty: from.name } as const;
    return [
      side({ accountId: from.id, direction: 'out', amount, parts, reference, metadata, counterparty }),
      ...parts.map((part) => side({ parts: [part], ...part, ...received })),
    ];
  }

  /** The accounts that receive, which never change: all for the account that gives, else the account itself. */
  get receiverIds(): string[] {
    return this.parts.map(({ accountId }) => accountId);
  }

  /** Whether it is pending until a second admin approves it. */
  get awaitsApproval(): boolean {
    return this.status === 'pending' && this.approvalId !== null && this.approvedAt === null;
  }

  /** A second admin has approved it. @throws DomainError `conflict` unless it waits for that */
  approve(now: Date): void {
    if (!this.awaitsApproval)
      throw new DomainError('conflict', `The transfer is ${this.status} and waits for no approval.`);
    assertNotDue(this, now);
    this.approvedAt = now;
    this.updatedAt = timeOfChange(this.updatedAt, now);
  }

  /** Whether it was captured so before. @param amount null for all of it */
  isCaptured(amount: number | null): boolean {
    if (this.status !== 'succeeded' || this.capture !== 'later') return false;
    return amount === null ? this.releasedAmount === 0 : amount === this.amount;
  }

  /**
   * Checks a capture, before any money moves.
   * @param amount null for all of it
   * @throws DomainError `conflict` unless it is pending and waits for no approval; `invalid_request` for more than its
   * amount, and for less where it has several parts
   */
  assertCapturable(amount: number | null, now: Date): void {
    transferLifecycle.transition('capture', this.status);
    assertNotDue(this, now);
    if (this.awaitsApproval)
      throw new DomainError('conflict', `The transfer waits for the approval ${this.approvalId}.`);
    if (amount === null || amount === this.amount) return;
    if (amount > this.amount)
      throw new DomainError('invalid_request', `The transfer is of ${this.amount} minor units.`);
    if (this.parts.length > 1)
      throw new DomainError('invalid_request', 'A transfer to several accounts is captured as a whole.');
  }

  /** Whether it has expired, also before the periodic task has ended it. */
  isDue(now: Date): boolean {
    return this.status === 'pending' && this.expiresAt !== null && this.expiresAt <= now;
  }

  /** Lowers the amount of a pending transfer with one part. What is released stays with the account that gives. */
  lower(amount: number): void {
    this.releasedAmount = this.amount - amount;
    this.amount = amount;
    this.parts = this.parts.map((part) => ({ ...part, amount }));
  }

  /** @throws DomainError `not_cancellable` for a cancel, else `conflict`, when the transition is not possible */
  apply(transition: TransferTransition, now: Date): void {
    this.status = transferLifecycle.transition(transition, this.status);
    this.updatedAt = timeOfChange(this.updatedAt, now);
    this.addEvent(`transfer.${events[transition]}`, this.accountId);
  }

  /**
   * What a receiver of a split still has to send back of its part, once so much of the payment is refunded: all of it
   * in the end.
   */
  dueBack(refunded: number, paid: number): number {
    const due = Number((BigInt(this.amount) * BigInt(refunded)) / BigInt(paid));
    return Math.max(due - this.reversedAmount, 0);
  }

  /**
   * Counts money that is sent back.
   * @throws DomainError `conflict` unless it has succeeded and is no reversal itself; `invalid_request` for more than was
   * received and not sent back before
   */
  reverse(amount: number, now: Date): void {
    if (this.status !== 'succeeded')
      throw new DomainError('conflict', `The transfer is ${this.status}: there is no money to send back.`);
    if (this.reversalOf !== null)
      throw new DomainError('conflict', 'A reversal is not reversed. Create a transfer instead.');
    const left = this.amount - this.reversedAmount;
    if (amount > left)
      throw new DomainError('invalid_request', `At most ${left} minor units are left to send back.`);
    this.reversedAmount += amount;
    this.updatedAt = timeOfChange(this.updatedAt, now);
    this.addEvent('transfer.reversed', this.accountId);
  }
}

type OwnMember = 'accountId' | 'direction' | 'amount' | 'parts' | 'counterparty' | 'reference' | 'metadata';

/** Adds up the amounts. @throws DomainError `invalid_request` beyond the largest amount */
export function sumOf(parts: readonly Pick<TransferPart, 'amount'>[]): number {
  return parts.reduce((sum, { amount }) => addMinorUnits(sum, amount, 'The amount'), 0);
}

function assertNotDue(transfer: Transfer, now: Date): void {
  if (transfer.isDue(now)) throw new DomainError('conflict', 'The transfer has expired.');
}

function checkedExpiry(expiresAt: Date | null, at: Date): Date | null {
  if (expiresAt === null) return null;
  if (expiresAt <= at || expiresAt.getTime() > at.getTime() + MAX_LIFETIME_DAYS * DAY_MS)
    throw new DomainError('invalid_request', 'expires_at must be in the future and at most a year ahead.');
  return expiresAt;
}

/**
 * The extension point for rules and records about transfers. A hook gets each side of a transfer, with its account, and
 * rejects all of them with an error about one.
 */
export class TransferHooks extends MovementHooks<Transfer, 'create' | TransferTransition> {}
