import type { FieldsOf } from '../../kernel/entity';
import { newId } from '../../kernel/ids';
import type { ChangedCredential } from '../auth';
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

export type SecurityEmailKind =
  'password_reset' | 'password_changed' | 'email_changed' | 'email_verification' | 'invitation';

/** Of the request that causes an email; empty if it is not traced. */
interface Trace {
  readonly traceparent?: string;
}

/** An email about someone's login that is still to be sent. Its row is deleted once it is. */
export class SecurityEmail {
  readonly id: string;
  readonly kind: SecurityEmailKind;
  /** For `password_reset`, the email that a visitor entered, whether anyone has it or not. Otherwise the recipient. */
  readonly emailKey: string;
  /** Whose login it is about; null for `password_reset`. */
  readonly subjectId: string | null;
  /** The language of the request, BCP 47; null if unknown. */
  readonly language: string | null;
  /** When the email is sent, or tried again; null when it is given up. */
  readonly dueAt: Date | null;
  /** How often the mail server was tried. */
  readonly attempts: number;
  /** The trace of the request that caused it, of which sending it becomes a part; null if it is not traced. */
  readonly traceparent: string | null;
  readonly createdAt: Date;

  private constructor(fields: FieldsOf<SecurityEmail>) {
    Object.assign(this, fields);
  }

  /** A link to set a new password, for each user and account with the email. */
  static passwordReset(emailKey: string, language: string, trace: Trace, now: Date): SecurityEmail {
    return new SecurityEmail({
      ...due(trace, now),
      kind: 'password_reset',
      emailKey,
      subjectId: null,
      language,
    });
  }

  /**
   * A notice about a change, to the email that the subject had before it; or a link to verify its new email, or to set its
   * first password.
   */
  static toSubject(
    kind: Exclude<SecurityEmailKind, 'password_reset'>,
    { emailKey, subjectId }: ChangedCredential,
    trace: Trace,
    now: Date,
  ): SecurityEmail {
    return new SecurityEmail({ ...due(trace, now), kind, emailKey, subjectId, language: null });
  }
}

function due(
  { traceparent }: Trace,
  now: Date,
): Pick<SecurityEmail, 'id' | 'dueAt' | 'attempts' | 'traceparent' | 'createdAt'> {
  return {
    id: newId('eml', now),
    dueAt: now,
    attempts: 0,
    traceparent: traceparent ?? null,
    createdAt: now,
  };
}
