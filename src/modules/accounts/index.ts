export { AccountClosings } from './application/account-closings';
export { Accounts } from './application/accounts.service';
export { AccountResources } from './application/account-resources';
export { AccountStore } from './domain/account-store';
export type { ReadonlyAccount as Account, Direction } from './domain/account';
export { AccountAccess } from './domain/account-access';
export { AccountClosing, cancelInParts } from './domain/account-closing';
