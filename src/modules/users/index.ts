export { users, UsersModule } from './users.module';
export { usersSettings } from './users.settings';
export { Users } from './application/users.service';
export { LinkedAccounts } from './domain/linked-accounts';
