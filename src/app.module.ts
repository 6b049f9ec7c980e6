import { DynamicModule, Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { accounts } from './modules/accounts/accounts.module';
import { auth } from './modules/auth/auth.module';
import { approvals } from './modules/back-office/approvals/approvals.module';
import { auditLog } from './modules/back-office/audit-log/audit-log.module';
import { console } from './modules/back-office/console/console.module';
import { savedViews } from './modules/back-office/saved-views/saved-views.module';
import { search } from './modules/back-office/search/search.module';
import { emails } from './modules/emails/emails.module';
import { events } from './modules/events/log/events.module';
import { webhooks } from './modules/events/webhooks/webhooks.module';
import { adjustments } from './modules/ledger/adjustments/adjustments.module';
import { ledger } from './modules/ledger/ledger.module';
import { statements } from './modules/ledger/statements/statements.module';
import { paymentRequests } from './modules/payment-requests/payment-requests.module';
import { processors } from './modules/processors/processors.module';
import { subscriptions } from './modules/subscriptions/subscriptions.module';
import { testOperations, testOperationsHttp } from './modules/testing/test-operations.module';
import { totals } from './modules/totals/totals.module';
import { transactions } from './modules/transactions/transactions.module';
import { transfers } from './modules/transfers/transfers.module';
import { users } from './modules/users/users.module';
import { EventTypes } from './platform/events/event-types';
import { ApiScopes } from './platform/config/api-scopes';
import { Platform, PlatformModule } from './platform/platform.module';
import { ApiVersions } from './platform/versions/api-versions';
import { ServiceModule } from './platform/service-module';

/** The modules of the service with their features, lowest first. */
export const coreModules: readonly ServiceModule[] = [
  auth,
  search,
  auditLog,
  approvals,
  savedViews,
  console,
  users,
  accounts,
  ledger,
  adjustments,
  statements,
  events,
  webhooks,
  processors,
  transactions,
  transfers,
  paymentRequests,
  subscriptions,
  emails,
  totals,
  testOperations,
  testOperationsHttp,
];

@Module({})
export class AppModule {
  static with(platform: Platform, modules: readonly ServiceModule[]): DynamicModule {
    const events = new EventTypes(modules.flatMap(({ events = [] }) => events));
    const scopes = new ApiScopes(modules.flatMap(({ scopes = [] }) => scopes));
    const versions = new ApiVersions(modules.flatMap(({ apiChanges = [] }) => apiChanges));
    return {
      module: AppModule,
      imports: [
        DiscoveryModule,
        PlatformModule.with(platform, { events, scopes, versions }),
        ...modules.map(({ module }) => module),
      ],
    };
  }
}
