import { Injectable } from '@nestjs/common';
import { Database, Snapshot } from '../../platform/database/database';
import { AccountReader } from '../accounts';
import { AccountAudit, AccountRecord, PostingAudit } from './account-audit';
import { DailyTotalsAudit, DailyTotalsRepository } from './daily-totals';
import { Entry } from './entry';
import { JournalRepository } from './journal.repository';
import { AccountFault, PostedAmount, SubledgerAmount, Subledgers } from './ledger';
import { merge, OrderedStream } from './ordered-stream';

type Progress = (entries: number, total: number) => void;

interface VerificationResult {
  readonly accounts: number;
  readonly entries: number;
  /** One line for each account with a fault, the first one that was found, for each day's totals and for each trigger with one. */
  readonly faults: readonly string[];
}

/** Compares the whole journal with the accounts, the subledgers and the daily totals. */
@Injectable()
export class LedgerVerification {
  constructor(
    private readonly database: Database,
    private readonly accounts: AccountReader,
    private readonly journal: JournalRepository,
    private readonly subledgers: Subledgers,
    private readonly dailyTotals: DailyTotalsRepository,
  ) {}

  /**
   * Merges ordered streams of one snapshot by account id, so that memory does not grow with the journal and the service
   * can continue to write.
   * @param progress is called with the number of entries that are checked and of all entries, once per batch
   */
  run(progress: Progress): Promise<VerificationResult> {
    return this.database.snapshot((snapshot) => this.verify(snapshot, progress));
  }

  private async verify(snapshot: Snapshot, progress: Progress): Promise<VerificationResult> {
    const faults = new Faults();
    const total = await this.journal.count(snapshot);
    const days = new DailyTotalsAudit(
      await this.dailyTotals.rolledUntil(snapshot),
      this.subledgers.prefixesWithin,
    );
    const streams = this.open(snapshot, days, (entries) => progress(entries, total));
    await faults.addAll(this.journal.unreadable(snapshot));
    let accounts = 0;
    for await (const batch of this.accounts.stream(snapshot)) {
      for (const account of batch) await verifyAccount(account, streams, faults);
      accounts += batch.length;
    }
    for await (const entry of streams.entries.rest()) faults.add(entry.accountId, strayEntry(entry));
    for await (const { accountId } of streams.amounts.rest()) faults.add(accountId, STRAY_AMOUNTS);
    for (const { faults: ownFaults } of this.subledgers.members) {
      if (ownFaults) await faults.addAll(ownFaults(snapshot));
    }
    const lines = [
      ...faults.lines(),
      ...(await days.faults(this.dailyTotals.kept(snapshot))),
      ...(await this.journal.guardFaults(snapshot)),
    ];
    return { accounts, entries: streams.entries.count, faults: lines };
  }

  private open(snapshot: Snapshot, days: DailyTotalsAudit, progress: (entries: number) => void): Streams {
    const amounts = this.subledgers.members.map((table) => this.journal.amounts(snapshot, table));
    return {
      entries: new OrderedStream(days.watch(this.journal.stream(snapshot)), progress),
      postings: new OrderedStream(this.journal.postings(snapshot)),
      amounts: new OrderedStream(merge(amounts)),
    };
  }
}

interface Streams {
  readonly entries: OrderedStream<Entry>;
  readonly postings: OrderedStream<PostedAmount>;
  readonly amounts: OrderedStream<SubledgerAmount>;
}

const STRAY_AMOUNTS = 'has held or posted amounts, but the account does not exist';

function strayEntry({ number }: Entry): string {
  return `entry ${number}: the account does not exist`;
}

async function verifyAccount(
  account: AccountRecord,
  { entries, postings, amounts }: Streams,
  faults: Faults,
): Promise<void> {
  const { id } = account;
  for await (const entry of entries.before(id)) faults.add(entry.accountId, strayEntry(entry));
  for await (const { accountId } of amounts.before(id)) faults.add(accountId, STRAY_AMOUNTS);
  for await (const _stray of postings.before(id)); // reported with their entries
  const audit = new AccountAudit(account);
  for await (const entry of entries.of(id)) faults.add(id, audit.entry(entry));
  const sums = await comparePostings(id, postings, amounts);
  faults.add(id, audit.end(sums));
  faults.add(id, sums.fault);
}

/** Compares the postings of an account with its amounts in the subledgers, in the order of their ids. */
async function comparePostings(
  accountId: string,
  postings: OrderedStream<PostedAmount>,
  amounts: OrderedStream<SubledgerAmount>,
): Promise<PostingAudit> {
  const audit = new PostingAudit();
  for (;;) {
    const posting = await postings.peekOf(accountId);
    const amount = await amounts.peekOf(accountId);
    if (posting === null && amount === null) return audit;
    const isPostingNext =
      posting !== null && (amount === null || posting.transactionId <= amount.transactionId);
    const isAmountNext =
      amount !== null && (posting === null || amount.transactionId <= posting.transactionId);
    if (isPostingNext) postings.advance();
    if (isAmountNext) amounts.advance();
    audit.compare(isPostingNext ? posting : null, isAmountNext ? amount : null);
  }
}

/** The first fault of each account: later ones may follow from it. */
class Faults {
  private readonly byAccount = new Map<string, string>();

  add(accountId: string, fault: string | null): void {
    if (fault !== null && !this.byAccount.has(accountId)) this.byAccount.set(accountId, fault);
  }

  async addAll(stream: AsyncIterable<AccountFault[]>): Promise<void> {
    for await (const batch of stream) {
      for (const { accountId, fault } of batch) this.add(accountId, fault);
    }
  }

  lines(): string[] {
    return Array.from(this.byAccount, ([accountId, fault]) => `${accountId}: ${fault}`);
  }
}
