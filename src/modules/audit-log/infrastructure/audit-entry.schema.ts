import { EntitySchema } from 'typeorm';
import { safeBigint } from '../../../platform/database/table';
import { AuditEntry } from '../domain/audit-entry';

/** The audit log. Its triggers and its head are in the migration, since TypeORM cannot declare them. */
export const auditEntrySchema = new EntitySchema<AuditEntry>({
  name: 'AuditEntry',
  target: AuditEntry,
  tableName: 'audit_log',
  columns: {
    sequence: {
      type: 'bigint',
      primary: true,
      transformer: safeBigint,
      primaryKeyConstraintName: 'audit_log_pkey',
    },
    id: { type: 'text' },
    createdAt: { name: 'created_at', type: 'timestamptz', precision: 3 },
    actorId: { name: 'actor_id', type: 'text', nullable: true },
    actorRole: { name: 'actor_role', type: 'text', nullable: true },
    sessionId: { name: 'session_id', type: 'text', nullable: true },
    action: { type: 'text' },
    objectId: { name: 'object_id', type: 'text', nullable: true },
    accountId: { name: 'account_id', type: 'text', nullable: true },
    outcome: { type: 'text' },
    reason: { type: 'text', nullable: true },
    details: { type: 'json' },
    ip: { type: 'text', nullable: true },
    userAgent: { name: 'user_agent', type: 'text', nullable: true },
    requestId: { name: 'request_id', type: 'text', nullable: true },
    hash: { type: 'bytea' },
  },
  checks: [{ name: 'audit_log_outcome', expression: "outcome IN ('succeeded', 'failed', 'refused')" }],
  indices: [
    { name: 'audit_log_id', columns: ['id'], unique: true },
    { name: 'audit_log_actor', columns: ['actorId', 'sequence'] },
    { name: 'audit_log_action', columns: ['action', 'sequence'] },
    { name: 'audit_log_object', columns: ['objectId', 'sequence'] },
    { name: 'audit_log_account', columns: ['accountId', 'sequence'] },
    // A BRIN index, which TypeORM cannot declare.
    { name: 'audit_log_time', columns: ['createdAt'], synchronize: false },
  ],
});
