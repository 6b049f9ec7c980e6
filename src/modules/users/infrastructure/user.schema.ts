import { EntitySchema } from 'typeorm';
import { eventCount } from '../../../platform/database/table';
import { User } from '../domain/user';
import { userLifecycle } from '../domain/user.lifecycle';

export const userSchema = new EntitySchema<User>({
  name: 'User',
  target: User,
  tableName: 'users',
  columns: {
    id: { type: 'text', primary: true, update: false },
    email: { type: 'text' },
    name: { type: 'text', nullable: true },
    status: { type: 'text' },
    role: { type: 'text' },
    accountId: { name: 'account_id', type: 'text', nullable: true },
    createdAt: { name: 'created_at', type: 'timestamptz', precision: 3, update: false },
    updatedAt: { name: 'updated_at', type: 'timestamptz', precision: 3 },
    eventCount,
  },
  checks: [{ expression: userLifecycle.sqlCheck('status') }],
  // One for each combination of filters of the list.
  indices: [
    { name: 'users_newest', columns: ['createdAt', 'id'] },
    { name: 'users_status', columns: ['status', 'createdAt', 'id'] },
    { name: 'users_role', columns: ['role', 'createdAt', 'id'] },
    { name: 'users_role_status', columns: ['role', 'status', 'createdAt', 'id'] },
    { name: 'users_account_newest', columns: ['accountId', 'createdAt', 'id'] },
    { name: 'users_account_status', columns: ['accountId', 'status', 'createdAt', 'id'] },
    { name: 'users_account_role', columns: ['accountId', 'role', 'createdAt', 'id'] },
    { name: 'users_account_role_status', columns: ['accountId', 'role', 'status', 'createdAt', 'id'] },
    // Of trigrams, which TypeORM cannot declare.
    { name: 'users_search', columns: ['name', 'email'], synchronize: false },
  ],
});
