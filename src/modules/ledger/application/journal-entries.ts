import { Injectable } from '@nestjs/common';
import { CursorPage, cursorOf, CursorRequest, unknownCursor } from '../../../kernel/pages';
import { Account } from '../../accounts';
import { DescribedEntry, isCustomerNumber } from '../domain/entry';
import { EntryFilter, JournalRepository, JournalSummary } from '../domain/journal.repository';
import { Subledgers } from '../domain/subledgers';

/** The journal of an account, for those who may read the account. */
@Injectable()
export class JournalEntries {
  constructor(
    private readonly journal: JournalRepository,
    private readonly subledgers: Subledgers,
  ) {}

  /**
   * Reads one page of entries, newest first.
   * @param page its cursors are numbers of entries of the list
   * @throws DomainError `invalid_request` for a cursor that is no entry of the list
   */
  list(account: Account, filter: EntryFilter, page: CursorRequest): Promise<CursorPage<DescribedEntry>> {
    const cursor = cursorOf(page);
    if (cursor !== undefined && !isListed(Number(cursor), account, filter)) throw unknownCursor();
    return this.journal.list(account.id, filter, page, this.subledgers.members);
  }

  /** Sums up what was posted to an account between two times, both inclusive. */
  summary(accountId: string, from: Date, until: Date): Promise<JournalSummary> {
    return this.journal.summary(accountId, from, until);
  }

  /** Reads the entries of the customer leg that were posted between two times, both inclusive, oldest first. */
  between(accountId: string, from: Date, until: Date): AsyncIterable<DescribedEntry[]> {
    return this.journal.between(accountId, from, until, this.subledgers.members);
  }
}

function isListed(number: number, { entryCount }: Account, { legs }: EntryFilter): boolean {
  return number <= entryCount && (legs === 'both' || isCustomerNumber(number));
}
