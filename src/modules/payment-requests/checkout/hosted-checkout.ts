import { MINUTE_MS } from '../../../kernel/clock';
import type { FieldsOf } from '../../../kernel/entity';
import { lifecycle, type StateOf } from '../../../kernel/lifecycle';

/** `processing`: the customer has paid, and the money has not arrived yet. */
export const hostedCheckoutLifecycle = lifecycle({
  states: ['open', 'processing', 'ended'],
  initial: ['open'],
  transitions: {
    process: { from: ['open', 'processing'], to: 'processing' },
    end: { from: ['open', 'processing'], to: 'ended' },
    /** The next attempt to pay. */
    reopen: { from: ['open', 'ended'], to: 'open' },
  },
});

type HostedCheckoutStatus = StateOf<typeof hostedCheckoutLifecycle>;

/**
 * A checkout lasts at most an hour, so that a canceled request is payable at the processor only for a short time. Processors
 * require at least 30 minutes.
 */
const MAX_LIFETIME_MS = 60 * MINUTE_MS;
const MIN_LIFETIME_MS = 32 * MINUTE_MS;

/** The tolerated difference between the clocks of the service and of the processor. */
const CLOCK_TOLERANCE_MS = 2 * MINUTE_MS;

/** The interval of the status checks for a payment in processing, in case the processor's event is lost. */
const PROCESSING_CHECK_MS = 6 * 60 * MINUTE_MS;

/** The members of a payment request that a checkout uses. */
interface Payable {
  readonly accountId: string;
  readonly id: string;
  readonly expiresAt: Date;
}

/** The current session in which a customer pays a payment request on a page of the processor. */
export class HostedCheckout {
  readonly accountId: string;
  readonly paymentRequestId: string;
  /** Numbers the sessions of a payment request, from 1. The processor creates one session per attempt. */
  attempt: number;
  /** The processor's id of the session; null until it is known. */
  processorReference: string | null;
  status: HostedCheckoutStatus;
  /** The payee's name on the page. Fixed at the start, because a repeated creation must send the same order. */
  title: string;
  expiresAt: Date;
  /** The time of the next status check; null when none is needed. */
  dueAt: Date | null;
  readonly createdAt: Date;
  updatedAt: Date;

  private constructor(fields: FieldsOf<HostedCheckout, 'isLive'>) {
    Object.assign(this, fields);
  }

  static open(request: Payable, title: string, now: Date): HostedCheckout {
    const expiresAt = chooseExpiry(request, now);
    return new HostedCheckout({
      accountId: request.accountId,
      paymentRequestId: request.id,
      attempt: 1,
      processorReference: null,
      status: 'open',
      title,
      expiresAt,
      dueAt: afterExpiry(expiresAt),
      createdAt: now,
      updatedAt: now,
    });
  }

  get isLive(): boolean {
    return this.status !== 'ended';
  }

  isDue(now: Date): boolean {
    return this.dueAt !== null && this.dueAt <= now;
  }

  /**
   * Whether the session can still be paid, as far as is known here. Only the processor knows whether one that it has
   * created has expired: it may have been paid in its last minute.
   */
  isUsable(now: Date): boolean {
    return this.isLive && (this.processorReference !== null || this.expiresAt > now);
  }

  /** Starts the next attempt, after the current session can no longer be paid. */
  reopen(request: Payable, title: string, now: Date): void {
    this.status = hostedCheckoutLifecycle.transition('reopen', this.status);
    this.attempt += 1;
    this.processorReference = null;
    this.title = title;
    this.expiresAt = chooseExpiry(request, now);
    this.dueAt = afterExpiry(this.expiresAt);
    this.updatedAt = now;
  }

  /** Whether a report concerns the current session, whose reference may not be known yet. */
  isReportedBy(report: { readonly id: string; readonly attempt: number }): boolean {
    const reference = this.processorReference ?? report.id;
    return this.isLive && this.attempt === report.attempt && reference === report.id;
  }

  assignReference(processorReference: string, now: Date): void {
    this.processorReference = processorReference;
    this.updatedAt = now;
  }

  /** The customer has paid, and the money has not arrived yet. */
  process(now: Date): void {
    this.status = hostedCheckoutLifecycle.transition('process', this.status);
    this.scheduleStatusCheck(new Date(now.getTime() + PROCESSING_CHECK_MS), now);
  }

  end(now: Date): void {
    this.status = hostedCheckoutLifecycle.transition('end', this.status);
    this.dueAt = null;
    this.updatedAt = now;
  }

  scheduleStatusCheck(dueAt: Date, now: Date): void {
    this.dueAt = dueAt;
    this.updatedAt = now;
  }

  /** Waits for the reference of a session until the session has expired and can no longer be paid; then ends it. */
  awaitReference(now: Date): void {
    const until = afterExpiry(this.expiresAt);
    if (until > now) this.scheduleStatusCheck(until, now);
    else this.end(now);
  }
}

function chooseExpiry({ expiresAt }: Payable, now: Date): Date {
  const remaining = expiresAt.getTime() - now.getTime();
  return new Date(now.getTime() + Math.min(Math.max(remaining, MIN_LIFETIME_MS), MAX_LIFETIME_MS));
}

function afterExpiry(expiresAt: Date): Date {
  return new Date(expiresAt.getTime() + CLOCK_TOLERANCE_MS);
}
