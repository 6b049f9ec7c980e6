import { FieldsOf } from '../../../kernel/entity';
import { newId } from '../../../kernel/ids';
import { ChangedCredential } from '../../auth';

export type SecurityEmailKind = 'password_reset' | 'password_changed' | 'email_changed';

/** An email about someone's login that is still to be sent. Its row is deleted once it is. */
export class SecurityEmail {
  readonly id: string;
  readonly kind: SecurityEmailKind;
  /** For `password_reset`, the email that a visitor entered, whether anyone has it or not. Otherwise the recipient. */
  readonly emailKey: string;
  /** Whose login a notice is about; null for `password_reset`. */
  readonly subjectId: string | null;
  /** The language of the request, BCP 47; null if unknown. */
  readonly language: string | null;
  /** When the email is handed to the job queue; null afterwards. */
  readonly dueAt: Date | null;
  readonly createdAt: Date;

  private constructor(fields: FieldsOf<SecurityEmail>) {
    Object.assign(this, fields);
  }

  /** A link to set a new password, for whoever has the email. */
  static passwordReset(emailKey: string, language: string, now: Date): SecurityEmail {
    return new SecurityEmail({ ...due(now), kind: 'password_reset', emailKey, subjectId: null, language });
  }

  /** A notice about a change, to the email that the subject had before it. */
  static notice(
    kind: Exclude<SecurityEmailKind, 'password_reset'>,
    { emailKey, subjectId }: ChangedCredential,
    now: Date,
  ): SecurityEmail {
    return new SecurityEmail({ ...due(now), kind, emailKey, subjectId, language: null });
  }
}

function due(now: Date): Pick<SecurityEmail, 'id' | 'dueAt' | 'createdAt'> {
  return { id: newId('eml', now), dueAt: now, createdAt: now };
}
