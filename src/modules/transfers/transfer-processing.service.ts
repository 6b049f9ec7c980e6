import { Injectable } from '@nestjs/common';
import { Tx } from '../../platform/database/tx';
import { AccountStore, LockedAccount, LockedAccounts } from '../accounts';
import { Ledger, Posting, Subledger } from '../ledger';
import { Transfer } from './transfer';
import { TransferHooks } from './transfer-hooks';
import { TransferTransition } from './transfer.lifecycle';
import { TransfersRepository } from './transfers.repository';

/** All sides of a transfer, that of the account that gives first. */
export type Sides = readonly Transfer[];

/** Creates transfers and applies their transitions on all sides, whose accounts the caller has locked and saves. */
@Injectable()
export class TransferProcessing {
  private readonly subledger: Subledger;

  constructor(
    private readonly repository: TransfersRepository,
    private readonly accounts: AccountStore,
    private readonly hooks: TransferHooks,
    ledger: Ledger,
  ) {
    this.subledger = ledger.subledger({
      table: 'transfers',
      direction: 'column',
      movesWithin: 'trf',
      heldStatuses: ['pending'],
      postedStatuses: ['succeeded'],
      lines: { type: 'transfer', referenceColumns: ['reference'], counterpartyColumn: 'counterparty' },
      faults: (snapshot) => repository.faults(snapshot),
    });
  }

  /** @throws DomainError `insufficient_funds`; `invalid_request` beyond the largest balance; any code from a hook */
  async create(tx: Tx, accounts: LockedAccounts, sides: Sides, now: Date): Promise<void> {
    for (const side of sides) await this.hooks.before(tx, 'create', side, now);
    for (const side of sides) {
      const account = accounts.get(side.accountId)!;
      this.subledger.hold(account, toPosting(side));
      if (side.status === 'succeeded') this.subledger.post(tx, account, toPosting(side), now);
    }
    for (const side of sides) {
      this.repository.add(tx, side);
      this.hooks.after(tx, accounts.get(side.accountId)!, 'create', side, now);
    }
  }

  /**
   * Applies a transition to all sides and saves them.
   * @param amount of a capture: less than what is held, or null
   * @throws DomainError by the lifecycle; any code from a hook
   */
  async apply(
    tx: Tx,
    transition: TransferTransition,
    accounts: LockedAccounts,
    sides: Sides,
    now: Date,
    amount: number | null = null,
  ): Promise<void> {
    const at = timeOfAll(accounts, now);
    for (const side of sides) await this.hooks.before(tx, transition, side, at);
    for (const side of sides) {
      const account = accounts.get(side.accountId)!;
      if (amount !== null && amount < side.amount) {
        this.subledger.release(account, { ...toPosting(side), amount: side.amount - amount });
        side.lower(amount);
      }
      side.apply(transition, at);
      if (transition === 'capture') this.subledger.post(tx, account, toPosting(side), at);
      else this.subledger.release(account, toPosting(side));
      this.repository.save(tx, side);
      this.hooks.after(tx, account, transition, side, at);
    }
  }

  /** Locks all accounts of a transfer, and reads its sides under the locks. */
  async underLocks(
    tx: Tx,
    id: string,
    fromAccountId: string,
    work: (accounts: LockedAccounts, sides: Sides) => Promise<void>,
  ): Promise<Transfer> {
    const ids = await this.participants(tx, id, fromAccountId);
    return this.accounts.updateAll(tx, ids, async (accounts) => {
      const sides = await this.repository.sides(tx, id, ids);
      await work(accounts, sides);
      return sides[0]!;
    });
  }

  /**
   * Cancels a pending transfer of an account that closes and is locked already. It locks the other accounts out of the
   * order of ids, so it may meet another transaction that waits for this one: the database then repeats one of them.
   */
  async cancelOf(tx: Tx, account: LockedAccount, { id, fromAccountId }: Transfer, now: Date): Promise<void> {
    const ids = await this.participants(tx, id, fromAccountId);
    const others = ids.filter((accountId) => accountId !== account.id);
    await this.accounts.updateAll(tx, others, async (locked) => {
      const accounts = new Map(locked).set(account.id, account);
      await this.apply(tx, 'cancel', accounts, await this.repository.sides(tx, id, ids), now);
    });
  }

  /** The ids of all accounts of a transfer, which never change. */
  private async participants(tx: Tx, id: string, fromAccountId: string): Promise<string[]> {
    const [out] = await this.repository.sides(tx, id, [fromAccountId]);
    return [fromAccountId, ...out!.parts.map(({ accountId }) => accountId)];
  }
}

/** The time of a change under several accounts: never before an earlier one of any of them. */
function timeOfAll(accounts: LockedAccounts, now: Date): Date {
  const times = [...accounts.values()].map((account) => account.timeOf(now));
  const latest = times.reduce((one, other) => (one > other ? one : other));
  for (const account of accounts.values()) account.timeOf(latest);
  return latest;
}

function toPosting({ id, direction, amount }: Transfer): Posting {
  return { transactionId: id, direction, amount };
}
