import { Module } from '@nestjs/common';
import { exampleId } from '../../platform/http/response-fields';
import { PeriodicTasks } from '../../platform/jobs/periodic-tasks';
import { PageAddress } from '../../platform/pages/pages.settings';
import { register } from '../../platform/register';
import { ServiceModule } from '../../platform/service-module';
import { cancelInParts, ClosingHooks } from '../accounts';
import { AccountsModule } from '../accounts/accounts.module';
import { accountOwnedSource, ApprovalKinds, SearchSources, spellCases } from '../back-office';
import { ApprovalsModule } from '../back-office/approvals/approvals.module';
import { SearchModule } from '../back-office/search/search.module';
import { ProcessorsModule } from '../processors/processors.module';
import { TransactionsModule } from '../transactions/transactions.module';
import { IncomingPayments } from './application/incoming-payments.service';
import { PaymentRequestSettlement } from './application/payment-request-settlement';
import { PaymentRequestStore } from './application/payment-request-store.service';
import { PaymentRequests } from './application/payment-requests.service';
import { SimulatedPayments } from './application/simulated-payments.service';
import { PaymentRequestListeners } from './domain/payment-context';
import { PaymentLinks, readIdSuffix } from './domain/payment-references';
import { PaymentRequestsRepository } from './domain/payment-requests.repository';
import { PaymentRequestsController } from './http/payment-requests.controller';
import { paymentRequestEventObject, PaymentRequestEventObject } from './http/payment-requests.dto';
import {
  paymentRequestSchema,
  SqlPaymentRequestsRepository,
} from './infrastructure/sql-payment-requests.repository';
import { UnappliedPaymentsModule } from './unapplied-payments/unapplied-payments.module';

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
    PaymentRequestStore,
    IncomingPayments,
    PaymentRequestSettlement,
    SimulatedPayments,
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
        scope: 'payment_requests:read',
        reader,
        filters: (text) => [
          ...spellCases(text).map((reference) => ({ reference })),
          { customerEmail: text },
          { idSuffix: readIdSuffix(text) },
        ],
        response: PaymentRequestEventObject,
        render: paymentRequestEventObject,
      }),
    ),
    register(ClosingHooks, [PaymentRequestsRepository], (repository) => ({
      name: 'payment-requests',
      ...cancelInParts(
        (tx, accountId, limit) => repository.lockAllPending(tx, accountId, limit),
        // The listeners are not notified of requests that end with their account.
        (tx, _payee, request, now) => {
          request.cancel(now);
          repository.save(tx, request);
        },
      ),
    })),
    register(PeriodicTasks, [SimulatedPayments], (simulated) => simulated),
    // After the simulated payments, which were in time although they are processed after the expiry: Nest calls the hooks
    // of a module by the depth of the dependencies.
    register(PeriodicTasks, [PaymentRequests, SimulatedPayments], ({ expiry }) => expiry),
  ],
  exports: [
    PaymentRequests,
    PaymentRequestStore,
    IncomingPayments,
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
      scope: 'payment_requests:read',
      actions: {
        created: 'A payment request was created, also by a subscription.',
        updated: 'The customer tried to pay a payment request, and the payment was declined.',
        succeeded: 'A payment request was paid.',
        failed: 'A payment request failed.',
        canceled: 'A pending payment request was canceled, or has expired.',
      },
      examples: { succeeded: { transaction_id: exampleId('txn') } },
      response: PaymentRequestEventObject,
      render: paymentRequestEventObject,
    },
  ],
};
