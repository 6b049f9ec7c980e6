export { approvalsSettings } from './approvals.settings';
export { ApprovalLimit } from './application/approval-limit';
export { Approvals } from './application/approvals.service';
export { ApprovalKinds } from './domain/approval-kinds';
export type { ApprovalKind } from './domain/approval-kinds';
export type { Approval } from './domain/approval';
