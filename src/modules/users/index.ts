export { usersSettings } from './users.settings';
export { Admins } from './domain/admins';
export { AccountUsers } from './domain/account-users';
export { Users } from './domain/users';
export { LinkedAccounts } from './domain/linked-accounts';
