import type { FieldsOf } from '../../kernel/entity';
import { newId } from '../../kernel/ids';
import type { ChangedCredential } from '../auth';

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
