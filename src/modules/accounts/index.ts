export { ApiKeys } from './api-keys/application/api-keys.service';
export { ApiKeyListeners } from './api-keys/domain/api-key-listeners';
export { AccountClosings } from './application/account-closings';
export { Accounts } from './application/accounts.service';
export { AccountResources } from './application/account-resources';
export { AccountStore } from './domain/account-store';
export type { Direction, ReadonlyAccount as Account } from './domain/account';
export { AccountAccess } from './domain/account-access';
export { AccountClosing, cancelInParts } from './domain/account-closing';
