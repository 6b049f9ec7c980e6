import { Module } from '@nestjs/common';
import { exportAsCsv } from '../../platform/http/csv-export';
import { PeriodicTasks } from '../../platform/jobs/periodic-tasks';
import { PageAddress } from '../../platform/pages/pages.settings';
import { register } from '../../platform/register';
import { ServiceModule } from '../../platform/service-module';
import { AccountClosing, cancelInParts } from '../accounts';
import { AccountsModule } from '../accounts/accounts.module';
import { accountOwnedSource, ApprovalKinds, spellCases, SearchSources } from '../back-office';
import { ApprovalsModule } from '../back-office/approvals/approvals.module';
import { SearchModule } from '../back-office/search/search.module';
import { ProcessorsModule } from '../processors/processors.module';
import { TransactionsModule } from '../transactions/transactions.module';
import { PaymentRequestExpiry } from './application/payment-request-expiry';
import { PaymentRequestSettlement } from './application/payment-request-settlement';
import { PaymentRequestStoreService } from './application/payment-request-store.service';
import { PaymentRequests } from './application/payment-requests.service';
import { SimulatedPaymentsService } from './application/simulated-payments.service';
import { PaymentLinks } from './domain/payment-links';
import { PaymentRequestListeners } from './domain/payment-request-listeners';
import { PaymentRequestStore } from './domain/payment-request-store';
import { PaymentRequestsRepository } from './domain/payment-requests.repository';
import { SimulatedPayments } from './domain/simulated-payments';
import { readIdSuffix } from './domain/transfer-reference';
import { PaymentRequestsController } from './http/payment-requests.controller';
import {
  paymentRequestEventObject,
  PaymentRequestEventObject,
  PaymentRequestsResponse,
} from './http/payment-requests.dto';
import { paymentRequestSchema } from './infrastructure/payment-request.schema';
import { SqlPaymentRequestsRepository } from './infrastructure/sql-payment-requests.repository';
import { UnappliedPaymentsModule } from './unapplied-payments/unapplied-payments.module';

exportAsCsv(PaymentRequestsController, 'list', PaymentRequestsResponse);

/** Requests for payment that accounts send to their customers as links. */
@Module({
  imports: [
    AccountsModule,
    ApprovalsModule,
    ProcessorsModule,
    TransactionsModule,
    UnappliedPaymentsModule,
    SearchModule,
  ],
  controllers: [PaymentRequestsController],
  providers: [
    PaymentRequests,
    { provide: PaymentRequestStore, useClass: PaymentRequestStoreService },
    PaymentRequestSettlement,
    PaymentRequestExpiry,
    SimulatedPaymentsService,
    { provide: SimulatedPayments, useExisting: SimulatedPaymentsService },
    PaymentRequestListeners,
    { provide: PaymentRequestsRepository, useClass: SqlPaymentRequestsRepository },
    {
      provide: PaymentLinks,
      inject: [PageAddress],
      useFactory: (address: PageAddress) => new PaymentLinks((path) => address.to(path)),
    },
    register(ApprovalKinds, [PaymentRequestSettlement], (settlement) => settlement),
    register(SearchSources, [PaymentRequests], (reader) =>
      accountOwnedSource({
        name: 'payment_request',
        scope: 'payments:read',
        reader,
        filters: (text) => [
          ...spellCases(text).map((reference) => ({ reference })),
          { customerEmail: text },
          { idSuffix: readIdSuffix(text) },
        ],
        render: paymentRequestEventObject,
      }),
    ),
    register(AccountClosing, [PaymentRequestsRepository], (repository) => ({
      name: 'payment-requests',
      ...cancelInParts(
        (tx, accountId, limit) => repository.lockAllPending(tx, accountId, limit),
        // The listeners are not notified of requests that end with their account.
        async (tx, _payee, pending, now) => {
          for (const request of pending) {
            request.cancel(now);
            repository.save(tx, request);
          }
        },
      ),
    })),
    register(PeriodicTasks, [SimulatedPaymentsService], (simulated) => simulated),
    register(PeriodicTasks, [PaymentRequestExpiry], (expiry) => expiry),
  ],
  exports: [
    PaymentRequests,
    PaymentRequestStore,
    PaymentRequestSettlement,
    SimulatedPayments,
    PaymentRequestListeners,
    PaymentLinks,
  ],
})
export class PaymentRequestsModule {}

export const paymentRequests: ServiceModule = {
  module: PaymentRequestsModule,
  entities: [paymentRequestSchema],
  idPrefixes: ['pay'],
  tags: [
    { name: 'Payment requests', description: 'Request a payment from a customer and follow its status.' },
  ],
  events: [
    {
      resource: 'payment_request',
      scope: 'payments:read',
      actions: {
        created: 'A payment request was created, also by a subscription.',
        updated: 'The customer tried to pay a payment request, and the payment was declined.',
        succeeded: 'A payment request was paid.',
        failed: 'A payment request failed.',
        canceled: 'A pending payment request was canceled, or has expired.',
      },
      response: PaymentRequestEventObject,
      render: paymentRequestEventObject,
    },
  ],
};
