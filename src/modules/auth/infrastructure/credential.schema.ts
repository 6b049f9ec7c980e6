import { EntitySchema } from 'typeorm';
import { Credential } from '../domain/credential';

export const credentialSchema = new EntitySchema<Credential>({
  name: 'Credential',
  target: Credential,
  tableName: 'credentials',
  columns: {
    subjectId: { name: 'subject_id', type: 'text', primary: true, update: false },
    kind: { type: 'text', update: false },
    emailKey: { name: 'email_key', type: 'text' },
    passwordHash: { name: 'password_hash', type: 'text' },
    passwordSetByOther: { name: 'password_set_by_other', type: 'boolean', default: false },
    emailVerifiedAt: { name: 'email_verified_at', type: 'timestamptz', precision: 3, nullable: true },
    loginChanges: { name: 'login_changes', type: 'jsonb', default: {} },
    accountId: { name: 'account_id', type: 'text', nullable: true },
    membershipRole: { name: 'membership_role', type: 'text', nullable: true },
    role: { type: 'text' },
    disabled: { type: 'boolean' },
  },
  uniques: [{ name: 'credentials_kind_email_key', columns: ['kind', 'emailKey'] }],
  indices: [{ name: 'credentials_account', columns: ['accountId'] }],
});
