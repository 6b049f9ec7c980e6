import { Injectable } from '@nestjs/common';
import { Tx } from '../../../../platform/database/tx';
import { UnapprovedAmount, UnapprovedAmounts } from '../domain/unapproved-amounts';

@Injectable()
export class SqlUnapprovedAmounts extends UnapprovedAmounts {
  async add(tx: Tx, { accountId, adminId, day, amount }: UnapprovedAmount, limit: number): Promise<boolean> {
    const sum = 'CASE WHEN sums.day = excluded.day THEN sums.amount ELSE 0 END + excluded.amount';
    const sql = `INSERT INTO unapproved_amounts AS sums (account_id, admin_id, day, amount) VALUES ($1, $2, $3, $4)
                 ON CONFLICT (account_id, admin_id) DO UPDATE SET day = excluded.day, amount = ${sum}
                 WHERE ${sum} <= $5 RETURNING amount`;
    return (await tx.query(sql, [accountId, adminId, day, amount, limit])).length > 0;
  }
}
