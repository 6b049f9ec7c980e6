import { Injectable } from '@nestjs/common';
import {
  AccountScopedReader,
  AccountStore,
  assertOperator,
  DomainError,
  IdempotentOperation,
  Ledger,
  LockedAccount,
  Posting,
  Principal,
  ReadTx,
  StoredResponse,
  Subledger,
} from 'countinghouse';
import { Payout, PayoutTransition } from './payout';
import { PayoutFilter, PayoutsTable, PayoutTotal } from './payouts.table';
import type { CreatePayoutRequest } from './payouts.dto';

@Injectable()
export class Payouts extends AccountScopedReader<Payout, PayoutFilter> {
  private readonly subledger: Subledger;

  constructor(
    private readonly table: PayoutsTable,
    private readonly accounts: AccountStore,
    ledger: Ledger,
  ) {
    super('pout', 'payout', table);
    this.subledger = ledger.subledger({
      table: 'payouts',
      direction: 'out',
      heldStatuses: ['pending'],
      postedStatuses: ['paid'],
      lines: { type: 'payout' },
    });
  }

  /** Holds the amount. @throws DomainError `not_found`, `forbidden`, `currency_mismatch`, `insufficient_funds` */
  create(
    caller: Principal,
    { account_id: accountId, amount, currency, reference = null }: CreatePayoutRequest,
    operation: IdempotentOperation<Payout>,
  ): Promise<StoredResponse> {
    const action = 'payout.create';
    const resource = { accountId, idPrefix: 'pout', action, purpose: 'refund', currency } as const;
    return this.accounts.create(caller, resource, operation, async (tx, account, { id, at }) => {
      const payout = Payout.create({ accountId, id, amount, currency, reference }, at);
      this.subledger.hold(account, postingOf(payout));
      this.table.add(tx, payout);
      return payout;
    });
  }

  /** Reports how a payout ended. @throws DomainError `forbidden`, `not_found`, `conflict` */
  async settle(caller: Principal, id: string, outcome: 'paid' | 'failed'): Promise<Payout> {
    assertOperator(caller, 'Only admins and platform systems report the outcome of payouts.');
    return this.end(caller, id, outcome === 'paid' ? 'pay' : 'fail');
  }

  /** @throws DomainError `not_found`, `not_cancellable` */
  cancel(caller: Principal, id: string): Promise<Payout> {
    return this.end(caller, id, 'cancel');
  }

  /** @throws DomainError `forbidden` */
  async totals(caller: Principal): Promise<PayoutTotal[]> {
    assertOperator(caller, 'Only admins and platform systems sum payouts.');
    return this.table.totals();
  }

  /** An account is not closed while a payout may still leave it. @throws DomainError `conflict` */
  async assertNonePending(tx: ReadTx, { id }: LockedAccount): Promise<void> {
    if (!(await this.table.hasPending(tx, id))) return;
    throw new DomainError('conflict', 'The account has pending payouts. Wait for them or cancel them first.');
  }

  private end(caller: Principal, id: string, transition: PayoutTransition): Promise<Payout> {
    const change = { items: this, id, action: `payout.${transition}` };
    return this.accounts.change(caller, change, (tx, account, payout, now) => {
      payout.apply(transition, now);
      if (transition === 'pay') this.subledger.post(tx, account, postingOf(payout), now);
      else this.subledger.release(account, postingOf(payout));
      this.table.save(tx, payout);
    });
  }
}

function postingOf({ id, amount }: Payout): Posting {
  return { transactionId: id, direction: 'out', amount };
}
