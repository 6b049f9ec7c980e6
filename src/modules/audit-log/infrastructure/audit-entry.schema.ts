import { EntitySchema } from 'typeorm';
import { auditOutcomes } from '../../../platform/audit/audit-trail';
import { listIndices, ListFilters } from '../../../platform/database/list-filters';
import { safeBigint } from '../../../platform/database/table';
import { TableGuards } from '../../../platform/database/table-guards';
import { AuditEntry } from '../domain/audit-entry';

/** The triggers of the audit log and of its head. They are in the migration, since TypeORM cannot declare triggers. */
export const auditLogGuards: readonly TableGuards[] = [
  {
    table: 'audit_log',
    triggers: { audit_log_append_only: '9fe5d5bb3eb1b58b16cad510fd72c3f03e85dfceb22c321bce29b36adfa975a8' },
  },
  {
    table: 'audit_log_head',
    triggers: { audit_log_head_kept: '9b3d360e9b0404d1d4478eebe368571cdaa55438cf2c1fb04e6ca8177254de16' },
  },
];

/** The order of the entries is that of their commits, so a page never gets an entry that a client has read past. */
export const auditListFilters: ListFilters<'actorId' | 'action' | 'objectId' | 'outcome'> = {
  prefix: 'aud',
  table: 'audit_log',
  order: 'sequence',
  keys: {
    actorId: { column: 'actor_id', nullable: true },
    action: { column: 'action' },
    objectId: { column: 'object_id', nullable: true },
  },
  enums: { outcome: { column: 'outcome', values: auditOutcomes } },
};

/** The audit log. Its head is in the migration, since it is no entity. */
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
  checks: [{ name: 'audit_log_outcome_known', expression: "outcome IN ('succeeded', 'failed', 'refused')" }],
  indices: [
    { name: 'audit_log_id', columns: ['id'], unique: true },
    { name: 'audit_log_time', columns: ['createdAt', 'sequence'] },
    ...listIndices(auditListFilters),
  ],
});
