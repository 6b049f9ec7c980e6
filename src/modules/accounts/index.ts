export { ApiKeys } from './api-keys/domain/api-keys';
export { ApiKeyListeners } from './api-keys/domain/api-key-listeners';
export { Accounts } from './domain/accounts';
export { AccountStore } from './domain/account-store';
export type { Direction, ReadonlyAccount as Account } from './domain/account';
export { AccountAccess } from './domain/account-access';
export { AccountClosing, cancelInParts } from './domain/account-closing';
