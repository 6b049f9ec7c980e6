import { Injectable } from '@nestjs/common';
import { DomainError } from '../../kernel/domain-error';
import { Metadata } from '../../kernel/metadata';
import { Database, IdempotentOperation, StoredResponse, Tx } from '../../platform/database/database';
import { AccountStore, Creation, LockedAccounts } from '../accounts';
import { AccountScopedReader, isOperator, mayActFor, Principal } from '../auth';
import { Capture, Transfer, TransferTerms, TransferTransition } from './transfer';
import { TransferApprovals } from './transfer-approvals.service';
import { Sides, TransferProcessing } from './transfer-processing.service';
import { TransferFilter, TransfersRepository } from './transfers.repository';

export interface NewTransfer {
  readonly from_account_id: string;
  /** At least one, of different accounts. */
  readonly to: readonly NewPart[];
  readonly currency: string;
  readonly reference: string | null;
  readonly metadata: Metadata;
  readonly capture: Capture;
  readonly expiresAt: Date | null;
}

export interface NewPart {
  readonly account_id: string;
  readonly amount: number;
  readonly reference?: string | null;
}

export interface Reversal {
  /** The account that sends money back; by default the only one that received some. */
  readonly account_id?: string;
  /** By default all that is left of what it received. */
  readonly amount?: number;
  readonly reference?: string | null;
  readonly metadata?: Metadata | null;
}

type Operation = IdempotentOperation<Transfer>;

@Injectable()
export class Transfers extends AccountScopedReader<Transfer, TransferFilter> {
  constructor(
    private readonly repository: TransfersRepository,
    private readonly processing: TransferProcessing,
    private readonly approvals: TransferApprovals,
    private readonly accounts: AccountStore,
    private readonly database: Database,
  ) {
    super('trf', 'transfer', repository);
  }

  /**
   * Moves money from one account to others, or holds it until it is captured: all parts, or none.
   * @throws DomainError `not_found` for an account that does not exist; `forbidden` by an account's status;
   * `currency_mismatch`; `insufficient_funds`; `invalid_request` for parts of one account, or beyond the largest balance
   */
  create(caller: Principal, request: NewTransfer, operation: Operation): Promise<StoredResponse> {
    const { resource, work } = this.prepare(caller, request, operation);
    return this.accounts.create(caller, resource, operation, work);
  }

  /** Creates several transfers in one database transaction: all, or none. @throws DomainError like `create` */
  createAll(
    caller: Principal,
    items: readonly { readonly request: NewTransfer; readonly operation: Operation }[],
    batch: IdempotentOperation<null>,
  ): Promise<StoredResponse[]> {
    const creations = items.map(({ request, operation }) => this.prepare(caller, request, operation));
    return this.accounts.createAll(caller, creations, batch);
  }

  /**
   * Moves the held money, or a part of it, and releases the rest. A repeat of a capture changes nothing.
   * @throws DomainError `not_found`; `conflict` unless it is pending; `invalid_request` for the amount; `forbidden` by an
   * account's status, and for the account that receives
   */
  capture(caller: Principal, id: string, amount: number | null): Promise<Transfer> {
    return this.change(caller, id, 'capture', async (tx, accounts, sides, now) => {
      const [out] = sides;
      if (out!.isCaptured(amount)) return;
      out!.assertCapturable(amount, now);
      this.processing.assertOpen(accounts);
      await this.processing.apply(tx, 'capture', accounts, sides, now, amount);
    });
  }

  /** @throws DomainError `not_found`, `not_cancellable`; `forbidden` for the account that receives, and while suspended */
  cancel(caller: Principal, id: string): Promise<Transfer> {
    return this.change(caller, id, 'cancel', (tx, accounts, sides, now) =>
      this.processing.apply(tx, 'cancel', accounts, sides, now),
    );
  }

  /**
   * Sends money back from an account that received it, with a transfer of its own.
   * @throws DomainError `not_found`; `forbidden` for the account that gave it, and by an account's status; `conflict`;
   * `insufficient_funds`; `invalid_request` for more than was received, or for an account that received nothing
   */
  async reverse(
    caller: Principal,
    id: string,
    reversal: Reversal,
    operation: Operation,
  ): Promise<StoredResponse> {
    const seen = await this.get(caller, id);
    const receiver = receiverOf(caller, seen, reversal.account_id);
    const { fromAccountId: giver } = seen;
    const resource = {
      accountId: receiver,
      otherAccountIds: [giver],
      idPrefix: 'trf',
      action: 'transfer.reverse',
      purpose: 'transfer',
    } as const;
    return this.accounts.create(caller, resource, operation, async (tx, _account, issued, accounts) => {
      const [out, received] = await this.repository.sides(tx, id, [giver, receiver]);
      const amount = reversal.amount ?? Math.max(received!.amount - received!.reversedAmount, 1);
      for (const side of [received!, out!]) {
        side.reverse(amount, issued.at);
        this.repository.save(tx, side);
      }
      const { reference = null } = reversal;
      const to = [{ account_id: giver, amount, reference }];
      const terms = {
        reference,
        metadata: reversal.metadata ?? {},
        to,
        capture: 'now',
        reversalOf: id,
      } as const;
      return this.add(tx, caller, { expiresAt: null, ...terms }, receiver, accounts, issued);
    });
  }

  /** Releases what a pending transfer holds, if it has expired by now. */
  expire(accountId: string, id: string): Promise<void> {
    return this.database.transaction((tx, now) =>
      this.processing.underLocks(tx, id, accountId, async (accounts, sides) => {
        if (sides[0]!.isDue(now)) await this.processing.apply(tx, 'expire', accounts, sides, now);
      }),
    );
  }

  private async change(
    caller: Principal,
    id: string,
    transition: TransferTransition,
    work: (tx: Tx, accounts: LockedAccounts, sides: Sides, now: Date) => Promise<void>,
  ): Promise<Transfer> {
    const otherAccountIds = (transfer: Readonly<Transfer>): string[] => {
      if (!mayActFor(caller, transfer.fromAccountId))
        throw new DomainError('forbidden', `Only the account that gives can ${transition} the transfer.`);
      return transfer.receiverIds;
    };
    const change = { items: this, id, action: `transfer.${transition}`, otherAccountIds };
    return this.accounts.change(caller, change, async (tx, _account, out, now, accounts) => {
      const received = await this.repository.sides(tx, id, out.receiverIds);
      await work(tx, accounts, [out, ...received], now);
    });
  }

  /** @throws DomainError `invalid_request` */
  private prepare(caller: Principal, request: NewTransfer, operation: Operation): Creation<Transfer> {
    const { from_account_id: accountId, to, currency } = request;
    const otherAccountIds = to.map(({ account_id: id }) => id);
    if (new Set([accountId, ...otherAccountIds]).size < to.length + 1)
      throw new DomainError('invalid_request', 'Money moves between different accounts: name each once.');
    const resource = {
      accountId,
      otherAccountIds,
      idPrefix: 'trf',
      action: 'transfer.create',
      purpose: 'transfer',
      currency,
    } as const;
    return {
      resource,
      operation,
      work: (tx, _account, issued, accounts) =>
        this.add(tx, caller, { reversalOf: null, ...request }, accountId, accounts, issued),
    };
  }

  /** @returns the side of the account that gives */
  private async add(
    tx: Tx,
    caller: Principal,
    { to, ...terms }: Omit<TransferTerms, 'id' | 'from' | 'parts'> & { readonly to: readonly NewPart[] },
    fromAccountId: string,
    accounts: LockedAccounts,
    { id, at }: { id: string; at: Date },
  ): Promise<Transfer> {
    const parts = to.map(({ account_id: accountId, amount, reference = terms.reference }) => ({
      accountId,
      name: accounts.get(accountId)!.name,
      amount,
      reference,
    }));
    const { name, currency } = accounts.get(fromAccountId)!;
    const whole = { id, from: { id: fromAccountId, name, currency }, parts, ...terms };
    const approvalId = await this.approvals.ask(tx, caller, whole, at);
    const sides = Transfer.create(whole, approvalId, at);
    await this.processing.create(tx, accounts, sides, at);
    return sides[0];
  }
}

/** @throws DomainError `forbidden` for the account that gave; `invalid_request` */
function receiverOf(caller: Principal, seen: Readonly<Transfer>, named: string | undefined): string {
  if (!isOperator(caller) && seen.direction === 'out')
    throw new DomainError('forbidden', 'Only an account that received money can send it back.');
  const ids = seen.receiverIds;
  const receiver = named ?? (ids.length === 1 ? ids[0]! : undefined);
  if (receiver === undefined || !ids.includes(receiver))
    throw new DomainError('invalid_request', 'account_id must name an account that received the money.');
  return receiver;
}
