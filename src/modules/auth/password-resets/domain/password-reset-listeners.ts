import { ExtensionPoint } from '../../../../kernel/extension-point';
import type { WriteTx } from '../../../../platform/database/tx';

/** The request for a link to set a new password. */
export interface PasswordResetRequest {
  /** The email that a visitor entered, whether anyone has it or not; empty if it gets no further links for now. */
  readonly emailKey: string;
  /** The language of the visitor, BCP 47. */
  readonly language: string;
}

interface PasswordResetListener {
  readonly name: string;
  requested(tx: WriteTx, request: PasswordResetRequest, now: Date): void;
}

/** The extension point for modules that deliver links to set a new password, in the transaction of the request. */
export class PasswordResetListeners extends ExtensionPoint<PasswordResetListener> {
  constructor() {
    super('PasswordResetListeners');
  }

  notifyRequested(tx: WriteTx, request: PasswordResetRequest, now: Date): void {
    for (const listener of this.members) listener.requested(tx, request, now);
  }
}
