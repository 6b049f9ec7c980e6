import { Module } from '@nestjs/common';
import { WriteTx } from '../../platform/database/database';
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
import { PaymentProcessor, ProcessorEventHandlers } from '../processors';
import { ProcessorsModule } from '../processors/processors.module';
import { TransactionsModule } from '../transactions/transactions.module';
import { IncomingPayments } from './application/incoming-payments.service';
import { PaymentRequestSettlement } from './application/payment-request-settlement';
import { PaymentRequestStore } from './application/payment-request-store.service';
import { PaymentRequests } from './application/payment-requests.service';
import { SimulatedPayments } from './application/simulated-payments.service';
import { hostedCheckoutSchema, HostedCheckoutsRepository } from './checkout/hosted-checkouts.repository';
import { HostedCheckouts } from './checkout/hosted-checkouts.service';
import { PaymentContext, PaymentRequestListeners } from './domain/payment-context';
import { PaymentLinks, readIdSuffix } from './domain/payment-references';
import { PaymentRequestsRepository } from './domain/payment-requests.repository';
import { PaymentRequestsController } from './http/payment-requests.controller';
import { paymentRequestEventObject, PaymentRequestEventObject } from './http/payment-requests.dto';
import {
  paymentRequestSchema,
  SqlPaymentRequestsRepository,
} from './infrastructure/sql-payment-requests.repository';
import { bankTransferSettings } from './page/bank-transfer.settings';
import { CustomerPayments } from './page/customer-payments.service';
import { PaymentPageRoutes } from './page/payment-page.routes';
import { UnappliedPaymentBacklogs } from './unapplied-payments/unapplied-payment';
import { UnappliedPaymentsController } from './unapplied-payments/unapplied-payments.controller';
import {
  unappliedPaymentResponse,
  UnappliedPaymentResponse,
} from './unapplied-payments/unapplied-payments.dto';
import {
  unappliedPaymentSchema,
  UnappliedPaymentsRepository,
} from './unapplied-payments/unapplied-payments.repository';
import { UnappliedPayments } from './unapplied-payments/unapplied-payments.service';

/**
 * Requests for payment that accounts send to their customers as links, the page on which these pay, also at the processor,
 * and payments that match no open request, until they are returned.
 */
@Module({
  imports: [AccountsModule, ApprovalsModule, ProcessorsModule, TransactionsModule, SearchModule],
  controllers: [PaymentRequestsController, UnappliedPaymentsController],
  providers: [
    UnappliedPayments,
    { provide: UnappliedPaymentBacklogs, useExisting: UnappliedPayments },
    UnappliedPaymentsRepository,
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
    HostedCheckouts,
    HostedCheckoutsRepository,
    CustomerPayments,
    PaymentPageRoutes,

    register(SearchSources, [UnappliedPayments], (reader) =>
      accountOwnedSource({
        name: 'unapplied_payment',
        scope: 'payments:read',
        reader,
        filters: () => [],
        response: UnappliedPaymentResponse,
        render: unappliedPaymentResponse,
      }),
    ),
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
    register(ApprovalKinds, [PaymentRequestSettlement], (settlement) => settlement),
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

    // A request that is no longer pending must not be paid at the processor.
    register(
      PaymentRequestListeners,
      [PaymentProcessor, HostedCheckoutsRepository],
      (processor, repository) => {
        if (processor.checkouts === null) return null;
        const makeDue = (tx: WriteTx, { request }: PaymentContext, now: Date): void =>
          repository.makeDue(tx, { accountId: request.accountId, paymentRequestId: request.id }, now);
        return { name: 'hosted-checkout', paid: makeDue, ended: makeDue };
      },
    ),
    register(ClosingHooks, [PaymentProcessor, HostedCheckoutsRepository], (processor, repository) => {
      if (processor.checkouts === null) return null;
      return {
        name: 'hosted-checkout',
        cancelPending: async (tx, { id: accountId }, now) => repository.makeDue(tx, { accountId }, now),
      };
    }),

    register(ProcessorEventHandlers, [HostedCheckouts], (checkouts) => ({
      name: 'hosted-checkout',
      kind: 'checkout',
      idPrefix: 'pay',
      process: (tx, event, now) => checkouts.processEvent(tx, event, now),
    })),
    register(ProcessorEventHandlers, [UnappliedPayments], (payments) => ({
      name: 'refunds of unapplied payments',
      kind: 'refund',
      idPrefix: 'unp',
      process: (tx, { accountId, objectId, report }, now) =>
        payments.applyReport(tx, accountId, objectId, report, now),
    })),

    register(PeriodicTasks, [PaymentProcessor, UnappliedPayments], (processor, { returns }) =>
      processor.refunds === null ? null : returns,
    ),
    register(PeriodicTasks, [SimulatedPayments], (simulated) => simulated),
    // After the simulated payments, which were in time although they are processed after the expiry: Nest calls the hooks
    // of a module by the depth of the dependencies.
    register(PeriodicTasks, [PaymentRequests, SimulatedPayments], ({ expiry }) => expiry),
    register(PeriodicTasks, [PaymentProcessor, HostedCheckouts], (processor, { statusChecks }) =>
      processor.checkouts === null ? null : statusChecks,
    ),
  ],
  exports: [
    PaymentRequests,
    PaymentRequestStore,
    SimulatedPayments,
    PaymentRequestListeners,
    PaymentLinks,
    UnappliedPaymentBacklogs,
  ],
})
export class PaymentRequestsModule {}

export const paymentRequests: ServiceModule = {
  module: PaymentRequestsModule,
  entities: [unappliedPaymentSchema, paymentRequestSchema, hostedCheckoutSchema],
  settings: [bankTransferSettings],
  idPrefixes: ['unp', 'pay'],
  tags: [
    {
      name: 'Unapplied payments',
      description: 'Payments that arrived but could not be applied to their payment request.',
    },
    { name: 'Payment requests', description: 'Request a payment from a customer and follow its status.' },
  ],
  events: [
    {
      resource: 'unapplied_payment',
      scope: 'payments:read',
      actions: {
        created: 'A payment arrived that could not be applied to its payment request.',
        updated: 'The service tries again to return an unapplied payment.',
        returned: 'An unapplied payment was returned to the customer.',
        needs_attention: 'An unapplied payment could not be returned, and a person has to resolve it.',
      },
      operatorsOnly: true,
      examples: {
        created: { failure_reason: null, returned_at: null },
        updated: { failure_reason: null, returned_at: null },
        returned: { failure_reason: null },
        needs_attention: { returned_at: null },
      },
      response: UnappliedPaymentResponse,
      render: unappliedPaymentResponse,
    },
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
