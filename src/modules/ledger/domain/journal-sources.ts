import { Registry } from '../../../kernel/registry';
import { Snapshot } from '../../../platform/database/snapshot';
import { TransactionSums } from './account-audit';

export interface AccountSums extends TransactionSums {
  readonly accountId: string;
}

interface SumsSource {
  readonly name: 'transactions';
  /** The sums of every account that has transactions, by account id. */
  sums(snapshot: Snapshot): AsyncIterable<AccountSums[]>;
}

/** The port by which transactions, which stand above, say what the journal should amount to. */
export class JournalSources extends Registry<SumsSource> {
  constructor() {
    super('JournalSources', ['transactions']);
  }
}
