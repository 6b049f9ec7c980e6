export { SearchSources, accountOwnedSource, spellCases } from './search/search-sources';
export { approvalsSettings } from './approvals/approvals.settings';
export { ApprovalKinds } from './approvals/approval';
export type { Approval, ApprovalKind } from './approvals/approval';
export { ApprovalLimit, Approvals } from './approvals/approvals.service';
export { MoneyMovers } from './console/test-mode';
export { AuditLogErasure, AuditLogVerification } from './audit-log/audit-log-verification';
export type { SearchHit, SearchSource } from './search/search-sources';
