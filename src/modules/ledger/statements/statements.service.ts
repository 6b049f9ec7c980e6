import { Injectable } from '@nestjs/common';
import { Clock } from '../../../kernel/clock';
import { DomainError } from '../../../kernel/domain-error';
import { Account } from '../../accounts';
import { SETTLING_TIME_MS } from '../entry';
import { JournalRepository } from '../journal.repository';
import { Period, Statement } from './statement';

/** The last year whose timestamps have four digits. */
const LAST_YEAR = 9999;

@Injectable()
export class Statements {
  constructor(
    private readonly journal: JournalRepository,
    private readonly clock: Clock,
  ) {}

  /**
   * Returns the statement of a period that is over. It is made from the append-only journal alone, so it is the same
   * whenever it is asked for.
   * @throws DomainError `invalid_request` for a period that is not over; `not_found` for one that was over before the
   * account was opened
   */
  async of(account: Account, period: Period): Promise<Statement> {
    this.assertOver(period);
    assertOpened(account, period);
    const { start, last } = period;
    const summary = await this.journal.summary(account.id, start, last);
    const { opening, closing, totalIn, totalOut, count } = summary;
    if (opening + totalIn - totalOut !== closing)
      throw new Error(`The journal of ${account.id} does not add up in ${period.name}: verify the ledger.`);
    return {
      accountId: account.id,
      accountName: account.name,
      currency: account.currency,
      period,
      openingBalance: opening,
      closingBalance: closing,
      totalIn,
      totalOut,
      entryCount: count,
      entries: this.journal.between(account.id, start, last),
    };
  }

  private assertOver({ name, end }: Period): void {
    if (end.getUTCFullYear() > LAST_YEAR)
      throw new DomainError('invalid_request', `The period ${name} ends after the year ${LAST_YEAR}.`);
    const available = new Date(end.getTime() + SETTLING_TIME_MS);
    if (this.clock.now() < available)
      throw new DomainError(
        'invalid_request',
        `The statement of ${name} is available from ${available.toISOString()}.`,
      );
  }
}

/** @throws DomainError `not_found` */
function assertOpened({ createdAt }: Account, { name, end }: Period): void {
  if (end <= createdAt)
    throw new DomainError(
      'not_found',
      `There is no statement of ${name}: the account exists since ${createdAt.toISOString()}.`,
    );
}
