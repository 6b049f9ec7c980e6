import { ExtensionPoint } from '../../../kernel/extension-point';
import type { Tx } from '../../../platform/database/tx';
import type { Principal } from '../../auth';
import type { Approval, ApprovalType } from './approval';
import { approvalTypes } from './approval';

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
