import { EntitySchema } from 'typeorm';
import { EmailedLink } from '../domain/emailed-link';

export const emailedLinkSchema = new EntitySchema<EmailedLink>({
  name: 'EmailedLink',
  target: EmailedLink,
  // The name is from the time when there were no other links.
  tableName: 'password_resets',
  columns: {
    tokenHash: { name: 'token_hash', type: 'text', primary: true },
    subjectId: { name: 'subject_id', type: 'text' },
    purpose: { type: 'text', default: 'password_reset' },
    expiresAt: { name: 'expires_at', type: 'timestamptz', precision: 3 },
  },
  checks: [{ expression: "purpose IN ('password_reset', 'email_verification')" }],
  indices: [
    { name: 'password_resets_subject', columns: ['subjectId'] },
    { name: 'password_resets_expiry', columns: ['expiresAt'] },
  ],
});
