import { Injectable } from '@nestjs/common';
import { Counter, Registry } from 'prom-client';
import { Tx } from '../../../platform/database/tx';
import { Account } from '../../accounts';
import { createEntries } from '../domain/entry';
import { JournalRepository } from '../domain/journal.repository';
import { Ledger, Posting, Subledger, SubledgerTable } from '../domain/ledger';
import { Subledgers } from '../domain/subledgers';

@Injectable()
export class JournalLedger extends Ledger {
  private readonly postings: Counter<'direction'>;

  constructor(
    private readonly journal: JournalRepository,
    private readonly subledgers: Subledgers,
    registry: Registry,
  ) {
    super();
    this.postings = new Counter({
      name: 'countinghouse_postings_total',
      help: 'Postings written to the journal by direction: in or out. Those that a failed transaction repeats count again.',
      labelNames: ['direction'],
      registers: [registry],
    });
  }

  subledger(table: SubledgerTable): Subledger {
    this.subledgers.register({ ...table, name: table.table });
    return new JournalSubledger(this.journal, this.postings);
  }

  postedAt(accountId: string, at: Date): Promise<number> {
    return this.journal.postedAt(accountId, at);
  }
}

export class JournalSubledger implements Subledger {
  constructor(
    private readonly journal: JournalRepository,
    private readonly postings: Counter<'direction'>,
  ) {}

  hold(account: Account, { direction, amount }: Posting): void {
    account.hold(direction, amount);
  }

  release(account: Account, { direction, amount }: Posting): void {
    account.release(direction, amount);
  }

  post(tx: Tx, account: Account, { transactionId, direction, amount }: Posting, now: Date): void {
    const at = account.timeOf(now);
    account.post(direction, amount);
    const { id: accountId, currency, posted } = account;
    const entries = createEntries(
      { accountId, transactionId, direction, amount, currency, posted, at },
      account,
    );
    this.journal.append(tx, entries);
    account.extendJournal(entries.length, entries[1].hash);
    this.postings.inc({ direction });
  }
}
