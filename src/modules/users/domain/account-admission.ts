import { Registry } from '../../../kernel/registry';
import { Tx } from '../../../platform/database/tx';

interface Gatekeeper {
  readonly name: 'accounts';
  /** Keeps the account from being closed until `tx` ends. @returns false when it does not exist or is closed */
  admit(tx: Tx, accountId: string): Promise<boolean>;
}

/** The port by which accounts, which stand above, say whether a user may be tied to one. */
export class AccountAdmission extends Registry<Gatekeeper> {
  constructor() {
    super('AccountAdmission', ['accounts']);
  }

  admit(tx: Tx, accountId: string): Promise<boolean> {
    return this.get('accounts').admit(tx, accountId);
  }
}
