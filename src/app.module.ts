import { DynamicModule, Module } from '@nestjs/common';
import { accounts } from './modules/accounts';
import { adjustments } from './modules/adjustments';
import { apiKeys } from './modules/api-keys';
import { approvals } from './modules/approvals';
import { auditLog } from './modules/audit-log';
import { auth } from './modules/auth';
import { console } from './modules/console';
import { events } from './modules/events';
import { ledger } from './modules/ledger';
import { notes } from './modules/notes';
import { hostedCheckout } from './modules/hosted-checkout';
import { paymentEmails } from './modules/payment-emails';
import { paymentPage } from './modules/payment-page';
import { paymentRequests } from './modules/payment-requests';
import { passwordResets } from './modules/password-resets';
import { processors } from './modules/processors';
import { search } from './modules/search';
import { secondFactors } from './modules/second-factors';
import { securityEmails } from './modules/security-emails';
import { statements } from './modules/statements';
import { subscriptions } from './modules/subscriptions';
import { testOperations, testOperationsHttp } from './modules/test-operations';
import { totals } from './modules/totals';
import { transactions } from './modules/transactions';
import { unappliedPayments } from './modules/unapplied-payments';
import { users } from './modules/users';
import { webhooks } from './modules/webhooks';
import { EventTypes } from './platform/events/event-types';
import { Platform, PlatformModule } from './platform/platform.module';
import { ServiceModule } from './platform/service-module';

/** The modules of the service, lowest first. A module imports only modules that precede it in this list. */
export const coreModules: readonly ServiceModule[] = [
  auth,
  search,
  auditLog,
  events,
  approvals,
  secondFactors,
  passwordResets,
  securityEmails,
  users,
  accounts,
  notes,
  apiKeys,
  ledger,
  adjustments,
  statements,
  processors,
  transactions,
  unappliedPayments,
  paymentRequests,
  hostedCheckout,
  paymentEmails,
  paymentPage,
  subscriptions,
  webhooks,
  totals,
  testOperations,
  testOperationsHttp,
  console,
];

@Module({})
export class AppModule {
  static with(platform: Platform, modules: readonly ServiceModule[]): DynamicModule {
    const events = new EventTypes(modules.flatMap(({ events = [] }) => events));
    return {
      module: AppModule,
      imports: [PlatformModule.with(platform, events), ...modules.map(({ module }) => module)],
    };
  }
}
