export { AccountUsers, LinkedAccounts } from './domain/account-users';
export { Admins, UserChanges, UserCreation, Users } from './domain/users';
export { usersSettings } from './users.settings';
