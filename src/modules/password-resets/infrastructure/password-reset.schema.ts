import { EntitySchema } from 'typeorm';
import { PasswordReset } from '../domain/password-reset';

export const passwordResetSchema = new EntitySchema<PasswordReset>({
  name: 'PasswordReset',
  target: PasswordReset,
  tableName: 'password_resets',
  columns: {
    tokenHash: { name: 'token_hash', type: 'text', primary: true },
    subjectId: { name: 'subject_id', type: 'text' },
    expiresAt: { name: 'expires_at', type: 'timestamptz', precision: 3 },
  },
  indices: [
    { name: 'password_resets_subject', columns: ['subjectId'] },
    { name: 'password_resets_expiry', columns: ['expiresAt'] },
  ],
});
