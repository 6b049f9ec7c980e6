import { MovementHooks } from '../transactions';
import type { Transfer } from './transfer';
import type { TransferTransition } from './transfer.lifecycle';

/**
 * The extension point for rules and records about transfers. A hook gets each side of a transfer, with its account, and
 * rejects all of them with an error about one.
 */
export class TransferHooks extends MovementHooks<Transfer, 'create' | TransferTransition> {
  constructor() {
    super('TransferHooks');
  }
}
