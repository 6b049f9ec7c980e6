export { usersSettings } from './users.settings';
export { Admins } from './application/admins';
export { AccountUsers } from './application/account-users';
export { Users } from './application/users.service';
export { LinkedAccounts } from './domain/linked-accounts';
