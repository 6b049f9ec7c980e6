import { EntitySchema } from 'typeorm';
import { safeBigint } from '../../../../platform/database/table';
import { UnapprovedAmount } from '../domain/unapproved-amounts';

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
