import { Module } from '@nestjs/common';
import { PeriodicTasks } from '../../../platform/jobs/periodic-tasks';
import { register } from '../../../platform/register';
import { ServiceModule } from '../../../platform/service-module';
import { AccountsModule } from '../../accounts/accounts.module';
import { accountOwnedSource, SearchSources } from '../../back-office';
import { SearchModule } from '../../back-office/search/search.module';
import { PaymentProcessor, ProcessorEventHandlers } from '../../processors';
import { ProcessorsModule } from '../../processors/processors.module';
import { UnappliedPaymentBacklogs } from './unapplied-payment';
import { UnappliedPaymentsController } from './unapplied-payments.controller';
import { unappliedPaymentResponse, UnappliedPaymentResponse } from './unapplied-payments.dto';
import { unappliedPaymentSchema, UnappliedPaymentsRepository } from './unapplied-payments.repository';
import { UnappliedPayments } from './unapplied-payments.service';

/** Payments that match no open payment request, until they are returned to the customers. */
@Module({
  imports: [AccountsModule, ProcessorsModule, SearchModule],
  controllers: [UnappliedPaymentsController],
  providers: [
    UnappliedPayments,
    { provide: UnappliedPaymentBacklogs, useExisting: UnappliedPayments },
    UnappliedPaymentsRepository,
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
    register(ProcessorEventHandlers, [UnappliedPayments], (payments) => ({
      name: 'refunds of unapplied payments',
      kind: 'refund',
      idPrefix: 'unp',
      process: (tx, { accountId, objectId, report }, now) =>
        payments.applyReport(tx, accountId, objectId, report, now),
    })),
    register(PeriodicTasks, [UnappliedPayments, PaymentProcessor], ({ returns }, processor) =>
      processor.refunds === null ? null : returns,
    ),
  ],
  exports: [UnappliedPayments, UnappliedPaymentBacklogs],
})
export class UnappliedPaymentsModule {}

export const unappliedPayments: ServiceModule = {
  module: UnappliedPaymentsModule,
  entities: [unappliedPaymentSchema],
  idPrefixes: ['unp'],
  tags: [
    {
      name: 'Unapplied payments',
      description: 'Payments that arrived but could not be applied to their payment request.',
    },
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
  ],
};
