export { ApiKeyListeners, ApiKeys } from './api-keys/api-key';
export { Accounts } from './application/accounts.service';
export { AccountStore } from './application/account-store.service';
export type { Creation } from './application/account-store.service';
export type { Direction, LockedAccount, LockedAccount as Account } from './domain/account';
export { AccountAccess, cancelInParts, ClosingHooks } from './domain/account-hooks';
export type { LockedAccounts } from './domain/account-hooks';
export { accountCounts, AccountReader } from './domain/accounts.repository';
