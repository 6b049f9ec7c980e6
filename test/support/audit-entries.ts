import { recordedNames } from '../../src/modules/back-office/audit-log/audit-entry.schema';

/** All entries of the audit log, sealed or not, for a FROM clause. Their ids are in the order in which they were recorded. */
export const AUDIT_ENTRIES = `(SELECT ${recordedNames} FROM audit_log
  UNION ALL SELECT ${recordedNames} FROM audit_log_unsealed
  UNION ALL SELECT ${recordedNames} FROM account_audit_entries) AS audit_entries`;
