export { ApiKeyListeners } from './api-keys/api-key';
export { Accounts } from './application/accounts.service';
export { AccountStore, type Creation } from './application/account-store.service';
export type { Direction, LockedAccount, LockedAccount as Account } from './domain/account';
export { AccountAccess, cancelInParts, ClosingHooks, type LockedAccounts } from './domain/account-hooks';
export { accountCounts, AccountReader } from './domain/accounts.repository';
