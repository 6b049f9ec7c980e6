import { Injectable } from '@nestjs/common';
import { DomainError } from '../../kernel/domain-error';
import { Database, Tx } from '../../platform/database/database';
import { AccountStore, LockedAccount, LockedAccounts } from '../accounts';
import { Ledger, Posting, Subledger } from '../ledger';
import { PaymentSplitter, PaymentToSplit, RefundedPayment } from '../transactions';
import { Transfer, TransferHooks, TransferPart, TransferTerms, TransferTransition } from './transfer';
import { TransfersRepository } from './transfers.repository';

/** All sides of a transfer, that of the account that gives first. */
export type Sides = readonly Transfer[];

/** Creates transfers and applies their transitions on all sides, whose accounts the caller has locked and saves. */
@Injectable()
export class TransferProcessing implements PaymentSplitter {
  readonly name = 'transfers';
  private readonly subledger: Subledger;

  constructor(
    private readonly database: Database,
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
    this.record(tx, accounts, sides, now);
  }

  /** See `PaymentSplits`. All parts stay where a hook rejects the transfer. */
  async split(tx: Tx, accounts: LockedAccounts, payment: PaymentToSplit, now: Date): Promise<string[]> {
    const { accountId, transactionId: sourceTransactionId, reference } = payment;
    const parts = partsThatFit(accounts, payment);
    if (parts.length === 0) return [];
    const to = parts.map(({ accountId: id, amount }) => ({ accountId: id, amount, reference: null }));
    const { sides, at } = newSides(accounts, accountId, to, { reference, sourceTransactionId }, now);
    try {
      for (const side of sides) await this.hooks.before(tx, 'create', side, at);
    } catch (error) {
      if (error instanceof DomainError) return [];
      throw error;
    }
    this.record(tx, accounts, sides, at);
    return parts.map((part) => part.accountId);
  }

  async receiversOf(accountId: string, paymentId: string): Promise<string[]> {
    const split = await this.repository.findSplit(this.database, accountId, paymentId);
    return split?.receiverIds ?? [];
  }

  /** See `PaymentSplits`. */
  findTakers(tx: Tx, accountId: string, refundIds: readonly string[]): Promise<string[]> {
    return this.repository.findSources(tx, accountId, refundIds);
  }

  /** See `PaymentSplits`: one reversal of each part. */
  async takeBack(tx: Tx, accounts: LockedAccounts, payment: RefundedPayment, now: Date): Promise<void> {
    const { accountId, id, amount, refunded, refundId: sourceTransactionId } = payment;
    const split = await this.repository.findSplit(tx, accountId, id);
    if (split === null) return;
    const [out, ...received] = await this.repository.sides(tx, split.id, [...accounts.keys()]);
    if (received.length < split.parts.length)
      throw new DomainError('unavailable', 'The payment was split at this moment. Retry shortly.', 1);
    const dues = received.map((part) => ({ part, due: part.dueBack(refunded, amount) }));
    const taken = dues.filter(({ due }) => due > 0);
    if (taken.length === 0) return;
    for (const { part, due } of taken) part.reverse(due, now);
    const total = taken.reduce((sum, { due }) => sum + due, 0);
    out!.reverse(total, now);
    for (const side of [out!, ...taken.map(({ part }) => part)]) this.repository.save(tx, side);
    for (const { part, due } of taken) {
      assertStillThere(accounts.get(part.accountId)!, due);
      const terms = { reference: null, reversalOf: split.id, sourceTransactionId };
      const to = [{ accountId, amount: due, reference: null }];
      const { sides, at } = newSides(accounts, part.accountId, to, terms, now);
      await this.create(tx, accounts, sides, at);
    }
  }

  private record(tx: Tx, accounts: LockedAccounts, sides: Sides, now: Date): void {
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

  /** Says of no account what its status is, since the caller may see one of them only. @throws DomainError `forbidden` */
  assertOpen(accounts: LockedAccounts): void {
    for (const account of accounts.values())
      if (!account.isOpenFor('transfer'))
        throw new DomainError('forbidden', `The account ${account.id} takes no transfers now.`);
  }

  /** Locks all accounts of a transfer, and reads its sides under the locks. */
  async underLocks(
    tx: Tx,
    id: string,
    fromAccountId: string,
    work: (accounts: LockedAccounts, sides: Sides) => Promise<void>,
  ): Promise<void> {
    const ids = await this.participants(tx, id, fromAccountId);
    await this.accounts.updateAll(tx, ids, async (accounts) =>
      work(accounts, await this.repository.sides(tx, id, ids)),
    );
  }

  /**
   * Cancels a pending transfer of an account that closes.
   * @param locked the accounts that are locked already: others are those of a transfer that was created just before. The
   * database repeats the transaction if such a lock meets another one that waits for this one.
   */
  async cancelOf(tx: Tx, locked: LockedAccounts, { id, fromAccountId }: Transfer, now: Date): Promise<void> {
    const ids = await this.participants(tx, id, fromAccountId);
    const others = ids.filter((accountId) => !locked.has(accountId));
    await this.accounts.updateAll(tx, others, async (more) => {
      const own = ids.map((accountId) => [accountId, locked.get(accountId) ?? more.get(accountId)!] as const);
      await this.apply(tx, 'cancel', new Map(own), await this.repository.sides(tx, id, ids), now);
    });
  }

  /** The ids of all accounts of a transfer, which never change. */
  private async participants(tx: Tx, id: string, fromAccountId: string): Promise<string[]> {
    const [out] = await this.repository.sides(tx, id, [fromAccountId]);
    return [fromAccountId, ...out!.receiverIds];
  }
}

/** The parts that can go out, in their order, as far as the money of the account that was paid goes. */
function partsThatFit(accounts: LockedAccounts, { accountId, parts }: PaymentToSplit) {
  const from = accounts.get(accountId)!;
  let left = from.isOpenFor('transfer') ? from.available : 0;
  return parts.filter((part) => {
    const to = accounts.get(part.accountId)!;
    const isOpen = to.isOpenFor('transfer') && to.currency === from.currency;
    const fits = isOpen && to.hasRoomFor(part.amount) && part.amount <= left;
    if (fits) left -= part.amount;
    return fits;
  });
}

/** All sides of a transfer that moves money at once, under an id that its accounts issue. */
function newSides(
  accounts: LockedAccounts,
  fromAccountId: string,
  to: readonly Omit<TransferPart, 'name'>[],
  terms: Pick<TransferTerms, 'reference' | 'sourceTransactionId'> & { readonly reversalOf?: string },
  now: Date,
): { sides: Sides; at: Date } {
  const from = accounts.get(fromAccountId)!;
  const others = to.map(({ accountId }) => accounts.get(accountId)!);
  const { id, at } = from.issueId('trf', now, others);
  const parts = to.map((part, index) => ({ ...part, name: others[index]!.name }));
  const atOnce = { reversalOf: null, metadata: {}, capture: 'now', expiresAt: null } as const;
  return { sides: Transfer.create({ ...atOnce, ...terms, id, from, parts }, null, at), at };
}

/** Tells nothing about the balance, which is not that of the caller. @throws DomainError `insufficient_funds` */
function assertStillThere({ id, available }: LockedAccount, amount: number): void {
  if (amount > available)
    throw new DomainError('insufficient_funds', `The account ${id} does not have enough of its part left.`);
}

/** The time of a change under several accounts: never before an earlier one of any of them. */
function timeOfAll(accounts: LockedAccounts, now: Date): Date {
  const times = [...accounts.values()].map((account) => account.timeOf(now));
  return times.reduce((one, other) => (one > other ? one : other));
}

function toPosting({ id, direction, amount }: Transfer): Posting {
  return { transactionId: id, direction, amount };
}
