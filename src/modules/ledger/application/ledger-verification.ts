import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database';
import { Accounts } from '../../accounts';
import { AccountAudit, AccountRecord, TransactionSums } from '../domain/account-audit';
import { Entry } from '../domain/entry';
import { JournalRepository } from '../domain/journal.repository';
import { AccountSums, JournalSources, Moved } from '../domain/journal-sources';

export interface VerificationResult {
  readonly accounts: number;
  readonly entries: number;
  /** One line for each account that does not add up: the first thing that is wrong with it. */
  readonly faults: readonly string[];
}

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
   * Ordered streams of one snapshot, merged by account id: memory does not grow with the journal, and the service may
   * go on working.
   * @param progress is told the number of entries walked, now and then
   */
  run(progress: (entries: number) => void): Promise<VerificationResult> {
    return this.database.snapshot(async (snapshot) => {
      const source = this.sources.get('transactions');
      const entries = new Merged(this.journal.stream(snapshot), progress);
      const sums = new Merged(source.sums(snapshot));
      const postings = new Merged(this.journal.postings(snapshot));
      const settled = new Merged(source.settled(snapshot));
      const faults = new Map<string, string>();
      let accounts = 0;
      for await (const batch of this.journal.unreadable(snapshot)) {
        for (const { accountId, fault } of batch) note(faults, accountId, fault);
      }
      for await (const batch of this.accounts.stream(snapshot)) {
        for (const account of batch) {
          await verify(account, entries, sums, faults);
          note(faults, account.id, await postingFault(account.id, postings, settled));
        }
        accounts += batch.length;
      }
      for await (const stray of entries.upTo(null)) note(faults, stray.accountId, strayEntry(stray));
      for await (const stray of sums.upTo(null)) note(faults, stray.accountId, STRAY_TRANSACTIONS);
      for await (const batch of source.faults(snapshot)) {
        for (const { accountId, fault } of batch) note(faults, accountId, fault);
      }
      const found = Array.from(faults, ([accountId, fault]) => `${accountId}: ${fault}`);
      if (!(await this.journal.isGuarded(snapshot))) found.push(GUARDS_GONE);
      return { accounts, entries: entries.count, faults: found };
    });
  }
}

/** Notes the first thing that is wrong with an account, and with those before it that have lost their row. */
async function verify(
  account: AccountRecord,
  entries: Merged<Entry>,
  sums: Merged<AccountSums>,
  faults: Map<string, string>,
): Promise<void> {
  const audit = new AccountAudit(account);
  for await (const entry of entries.upTo(account.id)) {
    note(faults, entry.accountId, entry.accountId === account.id ? audit.entry(entry) : strayEntry(entry));
  }
  let expected: TransactionSums = { posted: 0, held: 0, pendingIn: 0 };
  for await (const found of sums.upTo(account.id)) {
    if (found.accountId === account.id) expected = found;
    else note(faults, found.accountId, STRAY_TRANSACTIONS);
  }
  note(faults, account.id, audit.end(expected));
}

/** Transaction by transaction: what an account's journal posted is what has settled in it, and nothing else. */
async function postingFault(
  accountId: string,
  postings: Merged<Moved>,
  settled: Merged<Moved>,
): Promise<string | null> {
  let fault: string | null = null;
  for (;;) {
    const posting = await postings.nextOf(accountId);
    const transaction = await settled.nextOf(accountId);
    if (posting === null && transaction === null) return fault;
    if (posting?.transactionId === transaction?.transactionId) {
      if (!isSameMoney(posting!, transaction!))
        fault ??= `${posting!.transactionId}: posted ${money(posting!)}, recorded ${money(transaction!)}`;
      postings.take();
      settled.take();
    } else if (transaction === null || (posting && posting.transactionId < transaction.transactionId)) {
      fault ??= `${posting!.transactionId}: posted, but it has not settled`;
      postings.take();
    } else {
      fault ??= `${transaction.transactionId}: settled, but it is not posted`;
      settled.take();
    }
  }
}

function isSameMoney(posting: Moved, transaction: Moved): boolean {
  return posting.amount === transaction.amount && posting.currency === transaction.currency;
}

function money({ amount, currency }: Moved): string {
  return `${amount} ${currency}`;
}

/** What is found first stands: everything after it may follow from it. */
function note(faults: Map<string, string>, accountId: string, fault: string | null): void {
  if (fault !== null && !faults.has(accountId)) faults.set(accountId, fault);
}

const GUARDS_GONE = 'journal_entries: the triggers that keep it append-only and balanced are gone';

const STRAY_TRANSACTIONS = 'has transactions, but there is no such account';

function strayEntry({ number }: Entry): string {
  return `entry ${number}: there is no such account`;
}

/** A stream of batches, taken item by item in the order of account ids. */
class Merged<Item extends { readonly accountId: string }> {
  count = 0;
  private readonly batches: AsyncIterator<Item[]>;
  private batch: Item[] = [];
  private position = 0;

  constructor(
    stream: AsyncIterable<Item[]>,
    private readonly progress: (taken: number) => void = () => undefined,
  ) {
    this.batches = stream[Symbol.asyncIterator]();
  }

  /** The items up to and of an account; with null, all that are left. */
  async *upTo(accountId: string | null): AsyncIterable<Item> {
    for (;;) {
      const item = await this.next();
      if (item === null || (accountId !== null && item.accountId > accountId)) return;
      this.take();
      yield item;
    }
  }

  /** The next item of an account, which is left there; those of accounts before it are passed over. */
  async nextOf(accountId: string): Promise<Item | null> {
    for (;;) {
      const item = await this.next();
      if (item === null || item.accountId > accountId) return null;
      if (item.accountId === accountId) return item;
      this.take();
    }
  }

  take(): void {
    this.position += 1;
    this.count += 1;
  }

  private async next(): Promise<Item | null> {
    if (this.position === this.batch.length) {
      const following = await this.batches.next();
      if (following.done) return null;
      this.batch = following.value;
      this.position = 0;
      this.progress(this.count);
    }
    return this.batch[this.position]!;
  }
}
