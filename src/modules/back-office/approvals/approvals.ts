import { ExtensionPoint } from '../../../kernel/extension-point';
import type { Tx } from '../../../platform/database/tx';
import type { Principal, Role } from '../../auth';
import type { Approval, ApprovalRequest, ApprovalType } from './approval';
import { approvalTypes } from './approval';

/** What takes effect when a second admin approves it, for the modules that it concerns. */
export abstract class Approvals {
  /** For operations that an admin would complete alone. @throws DomainError `conflict` where approvals are required */
  abstract assertNotRequired(type: ApprovalType): void;

  /**
   * For changes with which an admin could sign in as another one, and then approve what the first one asks for.
   * @param advice what the caller does instead
   * @throws DomainError `forbidden` for the login of another admin where approvals are required
   */
  abstract assertMayChangeLogin(caller: Principal, more: { id: string; role: Role }, advice: string): void;

  /** Adds an approval for what a module has prepared in `tx`. */
  abstract add(tx: Tx, caller: Principal, request: ApprovalRequest, now: Date): Approval;
}

/** How the module that owns the object carries out one type of approval. */
export interface ApprovalKind {
  readonly name: ApprovalType;
  /**
   * Locks the object that an admin names and checks that the approval would have an effect. Types without it are only
   * asked for by an operation of their module.
   * @returns the account that the object is or belongs to, or else the id of the object; and what an approver should know
   * @throws DomainError `not_found`, `conflict`, `invalid_request`
   */
  prepare?(tx: Tx, objectId: string, now: Date): Promise<Pick<Approval, 'accountId' | 'details'>>;
  /**
   * Carries out what was approved. It locks the object and checks again.
   * @returns false when only a part of it is done, and it goes on in another database transaction
   */
  execute(tx: Tx, approval: Readonly<Approval>, approver: Principal, now: Date): Promise<boolean>;
  /** Ends what waits for the approval, which was rejected or has expired. */
  dismiss?(tx: Tx, approval: Readonly<Approval>, now: Date): Promise<void>;
}

/** The extension point for modules with changes that need a second admin. */
export class ApprovalKinds extends ExtensionPoint<ApprovalKind> {
  constructor() {
    super('ApprovalKinds', approvalTypes);
  }
}
