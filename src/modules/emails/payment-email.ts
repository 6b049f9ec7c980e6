import type { FieldsOf } from '../../kernel/entity';
import type { PaymentRequest } from '../payment-requests';

export const PAYMENT_EMAIL_KINDS = ['request', 'receipt'] as const;
export type PaymentEmailKind = (typeof PAYMENT_EMAIL_KINDS)[number];

/** An email to the customer of a payment request, once per event and for each request to send it again. */
export class PaymentEmail {
  readonly accountId: string;
  readonly paymentRequestId: string;
  readonly kind: PaymentEmailKind;
  /** When the email is sent, or tried again; null when nothing is left to send. */
  readonly dueAt: Date | null;
  /** How often the mail server was tried since the email became due; above 0 without a due time, it is given up. */
  readonly attempts: number;
  /** The trace of the request that caused it, of which sending it becomes a part; null if it is not traced. */
  readonly traceparent: string | null;
  /** When the mail server accepted the latest email; null before the first one. */
  readonly sentAt: Date | null;

  private constructor(fields: FieldsOf<PaymentEmail>) {
    Object.assign(this, fields);
  }

  static create(
    { accountId, id }: PaymentRequest,
    kind: PaymentEmailKind,
    trace: { readonly traceparent?: string },
    now: Date,
  ): PaymentEmail {
    return new PaymentEmail({
      accountId,
      paymentRequestId: id,
      kind,
      dueAt: now,
      attempts: 0,
      traceparent: trace.traceparent ?? null,
      sentAt: null,
    });
  }
}

/** Whether the email still fits the request: a request that has ended or expired unpaid needs none. */
export function isApplicable(kind: PaymentEmailKind, request: PaymentRequest, now: Date): boolean {
  if (kind === 'receipt') return request.status === 'succeeded';
  return request.status === 'pending' && !request.isExpired(now);
}
