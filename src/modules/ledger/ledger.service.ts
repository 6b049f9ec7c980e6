import { Injectable } from '@nestjs/common';
import { Counter, Registry } from 'prom-client';
import { CursorPage, CursorRequest } from '../../kernel/pages';
import { Tx } from '../../platform/database/database';
import { Account, LockedAccount } from '../accounts';
import { createEntries, DescribedEntry } from './entry';
import { EntryFilter, JournalRepository } from './journal.repository';
import { Posting, Subledger, Subledgers, SubledgerTable } from './ledger';

/** The double-entry journal, by which all money moves. */
@Injectable()
export class Ledger {
  private readonly postings: Counter<'direction'>;

  constructor(
    private readonly journal: JournalRepository,
    private readonly subledgers: Subledgers,
    registry: Registry,
  ) {
    this.postings = new Counter({
      name: 'countinghouse_postings_total',
      help: 'Postings written to the journal by direction: in or out. Those that a failed transaction repeats count again.',
      labelNames: ['direction'],
      registers: [registry],
    });
  }

  /**
   * Declares the table of a module that moves money, and returns the object that moves it. The audit compares the
   * journal with the table. Call it in the constructor of a provider.
   * @throws Error after the start, and for a table that is declared already
   */
  subledger(table: SubledgerTable): Subledger {
    this.subledgers.register({ ...table, name: table.table });
    return new JournalSubledger(this.journal, this.postings);
  }

  /** Returns the account's posted balance at a point in time, in minor units. */
  postedAt(accountId: string, at: Date): Promise<number> {
    return this.journal.postedAt(accountId, at);
  }

  /**
   * Reads one page of the entries of an account, newest first.
   * @param page its cursors are numbers
   */
  list(account: Account, filter: EntryFilter, page: CursorRequest): Promise<CursorPage<DescribedEntry>> {
    return this.journal.list(account.id, filter, page);
  }
}

export class JournalSubledger implements Subledger {
  constructor(
    private readonly journal: JournalRepository,
    private readonly postings: Counter<'direction'>,
  ) {}

  hold(account: LockedAccount, { direction, amount }: Posting): void {
    account.hold(direction, amount);
  }

  release(account: LockedAccount, { direction, amount }: Posting): void {
    account.release(direction, amount);
  }

  post(tx: Tx, account: LockedAccount, posting: Posting, now: Date): void {
    const { direction, amount } = posting;
    const at = account.timeOf(now);
    account.post(direction, amount);
    const { id: accountId, currency, posted } = account;
    const entries = createEntries({ accountId, currency, posted, at, ...posting }, account);
    this.journal.append(tx, entries);
    account.extendJournal(entries.length, entries[1].hash);
    this.postings.inc({ direction });
  }
}
