import { Injectable } from '@nestjs/common';
import { Tx } from '../../../platform/database/tx';
import { Account } from '../../accounts';
import { Direction, reserve, settle, withdraw } from '../domain/balance';
import { entriesOf } from '../domain/entry';
import { JournalRepository } from '../domain/journal.repository';

/** Money that moves between an account and the world outside. */
export interface Movement {
  readonly transactionId: string;
  readonly direction: Direction;
  /** Minor units of the account's currency. */
  readonly amount: number;
}

/**
 * The only place where money moves. Each call works on an account that `tx` has locked, and changes the balance on its
 * row; the caller saves the account.
 */
@Injectable()
export class Ledger {
  constructor(private readonly journal: JournalRepository) {}

  /** A movement begins. @throws Refusal `insufficient_funds`, or `invalid_request` beyond the largest balance */
  reserve(account: Account, { direction, amount }: Movement): void {
    Object.assign(account, reserve(balanceOf(account), direction, amount));
  }

  /** A movement that has begun will not happen. */
  withdraw(account: Account, { direction, amount }: Movement): void {
    Object.assign(account, withdraw(balanceOf(account), direction, amount));
  }

  /** A movement that has begun has happened: it is posted to the journal. */
  post(tx: Tx, account: Account, { transactionId, direction, amount }: Movement, now: Date): void {
    const balance = settle(balanceOf(account), direction, amount);
    const { id: accountId, currency } = account;
    const at = account.timeOf(now);
    const entries = entriesOf(
      { accountId, transactionId, direction, amount, currency, posted: balance.posted, at },
      account,
    );
    this.journal.append(tx, entries);
    const last = entries[1];
    Object.assign(account, balance, { entryCount: last.number, chainHead: last.hash });
  }

  /** The account's posted balance as it was at a moment, in minor units. */
  postedAt(accountId: string, at: Date): Promise<number> {
    return this.journal.postedAt(accountId, at);
  }
}

function balanceOf({ posted, held, pendingIn }: Account) {
  return { posted, held, pendingIn };
}
