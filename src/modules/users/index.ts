export { AccountUsers } from './account-users.service';
export { Admins } from './admins.service';
export { UserChanges } from './user-changes.service';
export { UserCreation, Users } from './users.service';
export { LinkedAccounts } from './linked-accounts';
export { usersSettings } from './users.settings';
