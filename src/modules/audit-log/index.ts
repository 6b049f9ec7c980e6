export { auditLog } from './audit-log.module';
export { AuditLogVerification } from './application/audit-log-verification';
