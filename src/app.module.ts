import { DynamicModule, Module } from '@nestjs/common';
import { accounts } from './modules/accounts/accounts.module';
import { adjustments } from './modules/adjustments/adjustments.module';
import { apiKeys } from './modules/api-keys/api-keys.module';
import { approvals } from './modules/approvals/approvals.module';
import { auditLog } from './modules/audit-log/audit-log.module';
import { auth } from './modules/auth/auth.module';
import { console } from './modules/console/console.module';
import { events } from './modules/events/events.module';
import { ledger } from './modules/ledger/ledger.module';
import { notes } from './modules/notes/notes.module';
import { hostedCheckout } from './modules/hosted-checkout/hosted-checkout.module';
import { paymentEmails } from './modules/payment-emails/payment-emails.module';
import { paymentPage } from './modules/payment-page/payment-page.module';
import { paymentRequests } from './modules/payment-requests/payment-requests.module';
import { passwordResets } from './modules/password-resets/password-resets.module';
import { processors } from './modules/processors/processors.module';
import { search } from './modules/search/search.module';
import { secondFactors } from './modules/second-factors/second-factors.module';
import { securityEmails } from './modules/security-emails/security-emails.module';
import { statements } from './modules/statements/statements.module';
import { subscriptions } from './modules/subscriptions/subscriptions.module';
import { testOperations, testOperationsHttp } from './modules/test-operations/test-operations.module';
import { totals } from './modules/totals/totals.module';
import { transactions } from './modules/transactions/transactions.module';
import { unappliedPayments } from './modules/unapplied-payments/unapplied-payments.module';
import { users } from './modules/users/users.module';
import { webhooks } from './modules/webhooks/webhooks.module';
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
