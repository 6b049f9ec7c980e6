import { EntitySchema } from 'typeorm';
import { safeBigint } from '../../../platform/database/table';
import type { TableGuards } from '../../../platform/database/migrations/table-guards';
import { AuditEntry, type NewAuditEntry } from './audit-entry';

/** The triggers of the audit log. They are in the migrations, since TypeORM cannot declare triggers. */
export const auditLogGuards: readonly TableGuards[] = [
  {
    table: 'audit_log',
    triggers: { audit_log_append_only: '9fe5d5bb3eb1b58b16cad510fd72c3f03e85dfceb22c321bce29b36adfa975a8' },
  },
  {
    table: 'audit_log_head',
    triggers: { audit_log_head_kept: '9b3d360e9b0404d1d4478eebe368571cdaa55438cf2c1fb04e6ca8177254de16' },
  },
  {
    table: 'audit_log_unsealed',
    triggers: {
      audit_log_unsealed_append_only: '38fd2c1a591f6e6240561e5d7441e4cb1fabbb455828fd62e80d7a5f6a8fa606',
      audit_log_unsealed_deleted: 'd2b42d150bd92ec07d7c2b61d5f903583986989962a66a5f102f20c35249f983',
    },
  },
  {
    table: 'audit_log_receipts',
    triggers: {
      audit_log_receipts_append_only: 'ca718704ed23ba941425d523c21fe386823225c224b202056b05738962b40df0',
    },
  },
  {
    table: 'account_audit_entries',
    triggers: {
      account_audit_entries_append_only: 'aedb7da5386fda765a33ef7a94eb5e8658938eb8bbf9d70e5e8a073075f5e895',
      account_audit_entries_deleted: 'a3d8d50931d3000f7a359a215a1cc269ff6240c5af3d175571e91a0306d6df21',
    },
  },
  {
    table: 'account_audit_receipts',
    triggers: {
      account_audit_receipts_append_only: 'abc2130d2983ddc0e21d7e0c2d2a5084680e8dc3b4bab412e7fc0eff97a000e7',
    },
  },
  {
    table: 'audit_log_changes',
    triggers: {
      audit_log_changes_unaltered: '24a372a7e5e3b4b5fb6fcd140d3fa38666a1ff07b047804987a4c067e9f2a037',
      audit_log_changes_kept: '159d671b9e994ed8382b79ba687a7e830de2dbd14026485d4b061ebea762f54a',
    },
  },
];

/**
 * The filters of the list that have an index, the one that selects the fewest entries first. A page is read by the index
 * of the first one that is given, and what else is given is compared with what it finds.
 */
export const auditLogIndexes = [
  { member: 'objectId', column: 'object_id', where: 'object_id IS NOT NULL' },
  { member: 'accountId', column: 'account_id', where: 'account_id IS NOT NULL' },
  { member: 'actorId', column: 'actor_id', where: 'actor_id IS NOT NULL' },
  { member: 'outcome', column: 'outcome', where: "outcome <> 'succeeded'" },
  { member: 'action', column: 'action', where: null },
] as const;

/** The sealed entries. The other tables of the audit log are in the migrations, since they are no entities. */
export const auditEntrySchema = new EntitySchema<AuditEntry>({
  name: 'AuditEntry',
  target: AuditEntry,
  tableName: 'audit_log',
  columns: {
    sequence: {
      type: 'bigint',
      primary: true,
      transformer: {
        to: safeBigint.to,
        from: (value: string | null) => (value === null ? null : safeBigint.from(value)),
      },
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
    ...auditLogIndexes.map(({ member, column, where }) => ({
      name: `audit_log_by_${column.replace('_id', '')}`,
      columns: [member, 'id'],
      ...(where !== null && { where }),
    })),
  ],
});

/** The columns of an entry that it has from the start: all but its place in the chain. */
export const recordedColumns = Object.entries(auditEntrySchema.options.columns)
  .filter(([member]) => member !== 'sequence' && member !== 'hash')
  .map(([member, { name = member, type }]) => ({
    member: member as keyof NewAuditEntry,
    name,
    type: type as string,
  }));

export const recordedNames = recordedColumns.map(({ name }) => name).join(', ');
