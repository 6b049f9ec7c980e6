import { EntitySchema } from 'typeorm';
import { SecurityEmail } from '../domain/security-email';

export const securityEmailSchema = new EntitySchema<SecurityEmail>({
  name: 'SecurityEmail',
  target: SecurityEmail,
  tableName: 'security_emails',
  columns: {
    id: { type: 'text', primary: true },
    kind: { type: 'text' },
    emailKey: { name: 'email_key', type: 'text' },
    subjectId: { name: 'subject_id', type: 'text', nullable: true },
    language: { type: 'text', nullable: true },
    dueAt: { name: 'due_at', type: 'timestamptz', precision: 3, nullable: true },
    traceparent: { type: 'text', nullable: true },
    createdAt: { name: 'created_at', type: 'timestamptz', precision: 3 },
  },
  checks: [
    { expression: "kind IN ('password_reset', 'password_changed', 'email_changed', 'email_verification')" },
  ],
  indices: [
    { name: 'security_emails_due', columns: ['dueAt'], where: 'due_at IS NOT NULL' },
    { name: 'security_emails_created', columns: ['createdAt'] },
  ],
});
