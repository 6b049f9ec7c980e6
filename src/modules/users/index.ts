export { AccountUsers } from './application/account-users.service';
export { Admins } from './application/admins.service';
export { UserChanges } from './application/user-changes.service';
export { UserCreation, Users } from './application/users.service';
export { LinkedAccounts } from './domain/linked-accounts';
export { usersSettings } from './users.settings';
