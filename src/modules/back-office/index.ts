export { SearchSources, accountOwnedSource, spellCases } from './search/search-sources';
export { approvalsSettings } from './approvals/approvals.settings';
export { type Approval, type ApprovalKind, ApprovalKinds } from './approvals/approval';
export { Approvals } from './approvals/approvals.service';
export { MoneyMovers } from './console/test-mode';
export { AuditLogErasure, AuditLogVerification } from './audit-log/audit-log-verification';
export type { SearchHit, SearchSource } from './search/search-sources';
