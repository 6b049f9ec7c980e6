/** The public API of the package: what is exported here is stable as docs/extending.md says. */
export { defineService, type ServiceDefinition } from './service/define-service';
export type { RunningService } from './service/application';
export type { Service, StartOptions } from './service/service';
export { register } from './platform/register';
export type { OperationTag, ServiceModule } from './platform/service-module';

export * from './kernel/clock';
export * from './kernel/money';
export * from './kernel/domain-error';
export * from './kernel/entity';
export * from './kernel/extension-point';
export * from './kernel/fair-queue';
export * from './kernel/ids';
export * from './kernel/lifecycle';
export * from './kernel/metadata';
export * from './kernel/pages';
export * from './kernel/text';

export { fault, ok, warning } from './platform/config/health-check';
export type { CheckContext, CheckQuery, Finding, HealthCheck } from './platform/config/health-check';
export * from './platform/config/settings';
export { AuditTrail, systemActor } from './platform/audit/audit-trail';
export type { Actor, AuditEvent, Device } from './platform/audit/audit-trail';
export * from './platform/database/account-owned-repository';
export { listIndices, type ListFilters } from './platform/database/lists/list-filters';
export * from './platform/database/account-owned-table';
export { Database, StoredResponse } from './platform/database/database';
export type { IdempotentOperation, IdempotentRequest } from './platform/database/database';
export * from './platform/database/table';
export type {
  AccountWrites,
  Insertion,
  ReadTx,
  Snapshot,
  Statement,
  Tx,
  WriteTx,
} from './platform/database/tx';
export { type EventAccount, EventRecorder } from './platform/events/event-recorder';
export type { ResourceEvents } from './platform/events/event-types';
export * from './platform/http/account-owned-resource';
export { type ApiScope, ApiScopes } from './platform/config/api-scopes';
export { listOrCsv } from './platform/http/csv-export';
export * from './platform/http/list-query';
export * from './platform/http/operation';
export * from './platform/http/request-fields';
export * from './platform/http/response-fields';
export type { DueItem, DueItemTask } from './platform/jobs/due-items';
export { type PeriodicTask, PeriodicTasks } from './platform/jobs/periodic-tasks';
export * from './platform/mail/mailer';
export { Log } from './platform/telemetry/log';
export { type ApiChange, type ResponseChange, responseChange } from './platform/versions/api-change';

export * from './modules/accounts';
export * from './modules/auth';
export * from './modules/auth/http';
export * from './modules/events';
export * from './modules/payment-requests';
export * from './modules/ledger';
export * from './modules/processors';
export * from './modules/back-office';
export * from './modules/subscriptions';
export * from './modules/transactions';
export * from './modules/transfers';
export * from './modules/users';

export { AccountsModule } from './modules/accounts/accounts.module';
export { AuthModule } from './modules/auth/auth.module';
export { LedgerModule } from './modules/ledger/ledger.module';
export { PaymentRequestsModule } from './modules/payment-requests/payment-requests.module';
export { ProcessorsModule } from './modules/processors/processors.module';
export { SearchModule } from './modules/back-office/search/search.module';
export { SubscriptionsModule } from './modules/subscriptions/subscriptions.module';
export { TransactionsModule } from './modules/transactions/transactions.module';
export { TransfersModule } from './modules/transfers/transfers.module';
export { UsersModule } from './modules/users/users.module';
