export { AuditLogVerification } from './application/audit-log-verification';
