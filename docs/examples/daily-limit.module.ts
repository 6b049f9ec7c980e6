import { Module } from '@nestjs/common';
import { DomainError } from '../../src/kernel/domain-error';
import {
  Transaction,
  TransactionHook,
  TransactionHooks,
  TransactionTransition,
} from '../../src/modules/transactions';
import { TransactionsModule } from '../../src/modules/transactions/transactions.module';
import { register } from '../../src/platform/register';

/** What an account may refund in one UTC day, in minor units of its currency. */
export const DAILY_LIMIT = 100_000;

const dailyLimit: TransactionHook = {
  name: 'daily limit',

  /** The account is locked, so the sum does not change before the commit. */
  async before(tx, transition, refund) {
    if (changeOf(transition, refund) <= 0) return;
    const sql = 'SELECT amount FROM daily_refunds WHERE account_id = $1 AND day = $2';
    const [row] = await tx.read<{ amount: string }>(sql, [refund.accountId, dayOf(refund)]);
    const left = DAILY_LIMIT - Number(row?.amount ?? 0);
    if (refund.amount <= left) return;
    throw new DomainError(
      'forbidden',
      `The refund exceeds the daily limit: ${left} minor units are left today.`,
    );
  },

  after(tx, transition, refund) {
    const change = changeOf(transition, refund);
    if (change === 0) return;
    // A refund that was created before the limit existed may fail or be canceled; the sum must not fall below zero.
    const sql = `INSERT INTO daily_refunds (account_id, day, amount) VALUES ($1, $2, greatest(0, $3::bigint))
                 ON CONFLICT (account_id, day) DO UPDATE SET amount = greatest(0, daily_refunds.amount + $3)`;
    tx.enqueue(sql, [refund.accountId, dayOf(refund), change]);
  },
};

/** What a transition adds to the sum of a day. A refund that ends unpaid subtracts its amount from the day of its creation. */
function changeOf(transition: TransactionTransition, { type, status, amount }: Transaction): number {
  if (type !== 'refund' || transition === 'settle') return 0;
  if (transition === 'create') return status === 'failed' ? 0 : amount;
  return -amount;
}

function dayOf({ createdAt }: Transaction): string {
  return createdAt.toISOString().slice(0, 10);
}

/** Rejects refunds above a daily limit per account. */
@Module({
  imports: [TransactionsModule],
  providers: [register(TransactionHooks, [], () => dailyLimit)],
})
export class DailyLimitModule {}
