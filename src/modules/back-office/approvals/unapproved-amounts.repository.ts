import { Injectable } from '@nestjs/common';
import { EntitySchema } from 'typeorm';
import { safeBigint } from '../../../platform/database/table';
import { Tx } from '../../../platform/database/tx';

/** What an admin has moved in an account without an approval, on the last day on which the admin did. */
export class UnapprovedAmount {
  readonly accountId: string;
  readonly adminId: string;
  /** In UTC, for example 2026-11-23. */
  readonly day: string;
  /** Minor units. */
  readonly amount: number;
}

export const unapprovedAmountSchema = new EntitySchema<UnapprovedAmount>({
  name: 'UnapprovedAmount',
  target: UnapprovedAmount,
  tableName: 'unapproved_amounts',
  columns: {
    accountId: { name: 'account_id', type: 'text', primary: true },
    adminId: { name: 'admin_id', type: 'text', primary: true },
    day: { type: 'date' },
    amount: { type: 'bigint', transformer: safeBigint },
  },
});

@Injectable()
export class UnapprovedAmounts {
  /** Adds an amount to the sum of the day, unless that would exceed the limit. @returns whether it was added */
  async add(tx: Tx, { accountId, adminId, day, amount }: UnapprovedAmount, limit: number): Promise<boolean> {
    const sum = 'CASE WHEN sums.day = excluded.day THEN sums.amount ELSE 0 END + excluded.amount';
    const sql = `INSERT INTO unapproved_amounts AS sums (account_id, admin_id, day, amount) VALUES ($1, $2, $3, $4)
                 ON CONFLICT (account_id, admin_id) DO UPDATE SET day = excluded.day, amount = ${sum}
                 WHERE ${sum} <= $5 RETURNING amount`;
    return (await tx.query(sql, [accountId, adminId, day, amount, limit])).length > 0;
  }
}
