export { SearchSources, accountOwnedSource, spellCases } from './search/search-sources';
export { approvalsSettings } from './approvals/approvals.settings';
export { ApprovalLimit } from './approvals/approval-limit';
export { Approvals } from './approvals/approvals';
export { ApprovalKinds } from './approvals/approvals';
export type { ApprovalKind } from './approvals/approvals';
export type { Approval } from './approvals/approval';
export { AuditLogErasure, AuditLogVerification } from './audit-log/audit-log-verification';
export type { SearchHit, SearchSource } from './search/search-sources';
