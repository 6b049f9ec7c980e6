import { EntitySchema } from 'typeorm';
import { eventCount, safeBigint } from '../../../platform/database/table';
import { Account } from '../domain/account';
import { accountLifecycle } from '../domain/account.lifecycle';

export const accountSchema = new EntitySchema<Account>({
  name: 'Account',
  target: Account,
  tableName: 'accounts',
  columns: {
    id: { type: 'text', primary: true },
    email: { type: 'text' },
    name: { type: 'text' },
    type: { type: 'text', update: false },
    status: { type: 'text' },
    currency: { type: 'text' },
    timezone: { type: 'text' },
    language: { type: 'text' },
    posted: { type: 'bigint', transformer: safeBigint },
    held: { type: 'bigint', transformer: safeBigint },
    pendingIn: { name: 'pending_in', type: 'bigint', transformer: safeBigint },
    entryCount: { name: 'entry_count', type: 'bigint', transformer: safeBigint, default: 0 },
    chainHead: { name: 'chain_head', type: 'bytea', nullable: true },
    lastIdAt: { name: 'last_id_at', type: 'timestamptz', precision: 3, nullable: true },
    lastIdNumber: { name: 'last_id_number', type: 'integer' },
    lastEventAt: { name: 'last_event_at', type: 'timestamptz', precision: 3, nullable: true },
    lastEventNumber: { name: 'last_event_number', type: 'integer', default: 0 },
    deliversEvents: { name: 'delivers_events', type: 'boolean', default: false },
    eventCount,
    signUpNetwork: { name: 'sign_up_network', type: 'text', nullable: true, update: false },
    createdAt: { name: 'created_at', type: 'timestamptz', precision: 3, update: false },
    updatedAt: { name: 'updated_at', type: 'timestamptz', precision: 3 },
    closedAt: { name: 'closed_at', type: 'timestamptz', precision: 3, nullable: true },
  },
  checks: [
    { expression: accountLifecycle.sqlCheck('status') },
    {
      expression:
        '0 <= held AND held <= posted AND 0 <= pending_in AND posted + pending_in <= 9007199254740991',
    },
  ],
  // One for each combination of filters of the list.
  indices: [
    { name: 'accounts_newest', columns: ['createdAt', 'id'] },
    { name: 'accounts_status', columns: ['status', 'createdAt', 'id'] },
    { name: 'accounts_type', columns: ['type', 'createdAt', 'id'] },
    // An expression, which TypeORM cannot declare.
    { name: 'accounts_name', columns: ['name'], synchronize: false },
    { name: 'accounts_status_type', columns: ['status', 'type', 'createdAt', 'id'] },
  ],
});
