export { AccountsModule } from './accounts.module';
export { Accounts } from './application/accounts.service';
export type { Account } from './domain/account';
export { AccountClosing } from './domain/account-closing';
