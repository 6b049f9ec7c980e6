import { Module, OnModuleInit } from '@nestjs/common';
import { Refusal } from '../../src/kernel/refusal';
import {
  Transaction,
  TransactionHook,
  TransactionHooks,
  TransactionsModule,
  TransactionStep,
} from '../../src/modules/transactions';

/** What an account may refund in one UTC day, in minor units of its currency. */
export const DAILY_LIMIT = 100_000;

const dailyLimit: TransactionHook = {
  name: 'daily limit',

  /** The account is locked, so what is read here stays true until the step is committed. */
  async before(tx, step, refund) {
    if (changeOf(step, refund) <= 0) return;
    const sql = 'SELECT amount FROM daily_refunds WHERE account_id = $1 AND day = $2';
    const [row] = await tx.read<{ amount: string }>(sql, [refund.accountId, dayOf(refund)]);
    const left = DAILY_LIMIT - Number(row?.amount ?? 0);
    if (refund.amount <= left) return;
    throw new Refusal('forbidden', `Of today's limit for refunds ${left} minor units are left.`);
  },

  after(tx, step, refund) {
    const change = changeOf(step, refund);
    if (change === 0) return;
    // What is given back may have been refunded before there was a limit: the sum ends at nothing.
    const sql = `INSERT INTO daily_refunds (account_id, day, amount) VALUES ($1, $2, greatest(0, $3::bigint))
                 ON CONFLICT (account_id, day) DO UPDATE SET amount = greatest(0, daily_refunds.amount + $3)`;
    tx.write(sql, [refund.accountId, dayOf(refund), change]);
  },
};

/** What a step adds to the day's refunds. One that will not happen gives its amount back to the day it was made. */
function changeOf(step: TransactionStep, { type, status, amount }: Transaction): number {
  if (type !== 'refund' || step === 'settle') return 0;
  if (step === 'create') return status === 'failed' ? 0 : amount;
  return -amount;
}

function dayOf({ createdAt }: Transaction): string {
  return createdAt.toISOString().slice(0, 10);
}

/** Refuses refunds above a daily limit per account. */
@Module({ imports: [TransactionsModule] })
export class DailyLimitModule implements OnModuleInit {
  constructor(private readonly hooks: TransactionHooks) {}

  onModuleInit(): void {
    this.hooks.join(dailyLimit);
  }
}
