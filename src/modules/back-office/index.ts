export { SearchSources, accountOwnedSource, spellCases } from './search/search-sources';
export { approvalsSettings } from './approvals/approvals.settings';
export { ApprovalLimit } from './approvals/domain/approval-limit';
export { Approvals } from './approvals/domain/approvals';
export { ApprovalKinds } from './approvals/domain/approval-kinds';
export type { ApprovalKind } from './approvals/domain/approval-kinds';
export type { Approval } from './approvals/domain/approval';
export { AuditLogVerification } from './audit-log/audit-log-verification';
export type { SearchHit, SearchSource } from './search/search-sources';
