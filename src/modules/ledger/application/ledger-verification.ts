import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database';
import { Accounts } from '../../accounts';
import { AccountAudit, TransactionSums } from '../domain/account-audit';
import { JournalRepository } from '../domain/journal.repository';
import { JournalSources } from '../domain/journal-sources';

export interface VerificationResult {
  readonly accounts: number;
  readonly entries: number;
  /** One line for each account that does not add up: the first thing that is wrong with it. */
  readonly faults: readonly string[];
}

const NOTHING: TransactionSums = { posted: 0, held: 0, pendingIn: 0 };

/** Walks the whole journal and holds it against the accounts and their transactions. */
@Injectable()
export class LedgerVerification {
  constructor(
    private readonly database: Database,
    private readonly accounts: Accounts,
    private readonly journal: JournalRepository,
    private readonly sources: JournalSources,
  ) {}

  /**
   * Three ordered streams of one snapshot, merged by account id, so that memory does not grow with the journal and
   * the service may go on working.
   * @param progress is told the number of entries walked, now and then
   */
  run(progress: (entries: number) => void): Promise<VerificationResult> {
    return this.database.snapshot(async (snapshot) => {
      const entries = new Merged(this.journal.stream(snapshot));
      const sums = new Merged(this.sources.get('transactions').sums(snapshot));
      const faults: string[] = [];
      let accounts = 0;
      for await (const batch of this.accounts.stream(snapshot)) {
        for (const account of batch) {
          accounts += 1;
          const audit = new AccountAudit(account);
          let fault: string | null = null;
          for await (const entry of entries.upTo(account.id)) {
            fault ??=
              entry.accountId === account.id
                ? audit.entry(entry)
                : `entries of ${entry.accountId}, which does not exist`;
          }
          let expected = NOTHING;
          for await (const found of sums.upTo(account.id)) expected = found;
          fault ??= audit.end(expected);
          if (fault !== null) faults.push(`${account.id}: ${fault}`);
        }
        progress(entries.count);
      }
      for await (const entry of entries.upTo(null))
        faults.push(`entries of ${entry.accountId}, which does not exist`);
      return { accounts, entries: entries.count, faults };
    });
  }
}

/** A stream of batches, taken item by item in the order of account ids. */
class Merged<Item extends { readonly accountId: string }> {
  count = 0;
  private readonly batches: AsyncIterator<Item[]>;
  private batch: Item[] = [];
  private position = 0;

  constructor(stream: AsyncIterable<Item[]>) {
    this.batches = stream[Symbol.asyncIterator]();
  }

  /** The items up to and of an account; with null, all that are left. */
  async *upTo(accountId: string | null): AsyncIterable<Item> {
    for (;;) {
      if (this.position === this.batch.length) {
        const next = await this.batches.next();
        if (next.done) return;
        this.batch = next.value;
        this.position = 0;
      }
      const item = this.batch[this.position]!;
      if (accountId !== null && item.accountId > accountId) return;
      this.position += 1;
      this.count += 1;
      yield item;
    }
  }
}
