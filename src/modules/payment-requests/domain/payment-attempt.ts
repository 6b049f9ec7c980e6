/** Who tells the outcome: the sandbox, the processor that hosts the page, or a report of an operator. */
export const attemptMethods = ['simulation', 'hosted_checkout', 'reported'] as const;

export const attemptOutcomes = ['succeeded', 'declined', 'failed'] as const;

/** One attempt to pay a payment request, as it is stored with the request. */
export interface PaymentAttempt {
  /** ISO 8601. */
  readonly createdAt: string;
  readonly method: (typeof attemptMethods)[number];
  readonly outcome: (typeof attemptOutcomes)[number];
  /** A sentence, or a code of the processor; never about a person. */
  readonly reason: string | null;
}

/** How an attempt came to its outcome. */
export type AttemptSource = Pick<PaymentAttempt, 'method' | 'reason'>;

export const REPORTED: AttemptSource = { method: 'reported', reason: null };
