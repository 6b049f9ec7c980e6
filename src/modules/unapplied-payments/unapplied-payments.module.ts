import { Module, OnModuleInit } from '@nestjs/common';
import { PeriodicTasks } from '../../platform/jobs/periodic-tasks';
import { ServiceModule } from '../../platform/service-module';
import { AccountsModule } from '../accounts';
import { PaymentProcessor, ProcessorEventHandlers, ProcessorsModule } from '../processors';
import { UnappliedPaymentReturns } from './application/unapplied-payment-returns';
import { UnappliedPayments } from './application/unapplied-payments.service';
import { UnappliedPaymentsRepository } from './domain/unapplied-payments.repository';
import { UnappliedPaymentsController } from './http/unapplied-payments.controller';
import { TypeormUnappliedPaymentsRepository } from './infrastructure/typeorm-unapplied-payments.repository';
import { unappliedPaymentSchema } from './infrastructure/unapplied-payment.schema';

/** Payments that match no open payment request, until they are returned to the customers. */
@Module({
  imports: [AccountsModule, ProcessorsModule],
  controllers: [UnappliedPaymentsController],
  providers: [
    UnappliedPayments,
    UnappliedPaymentReturns,
    { provide: UnappliedPaymentsRepository, useClass: TypeormUnappliedPaymentsRepository },
  ],
  exports: [UnappliedPayments],
})
export class UnappliedPaymentsModule implements OnModuleInit {
  constructor(
    private readonly processor: PaymentProcessor,
    private readonly eventHandlers: ProcessorEventHandlers,
    private readonly periodicTasks: PeriodicTasks,
    private readonly returns: UnappliedPaymentReturns,
  ) {}

  onModuleInit(): void {
    this.eventHandlers.register({
      name: 'refunds of unapplied payments',
      kind: 'refund',
      idPrefix: 'unp',
      process: (tx, { accountId, objectId, report }, now) =>
        this.returns.applyReport(tx, accountId, objectId, report, now),
    });
    if (this.processor.refunds !== null) this.periodicTasks.registerDueItems(this.returns);
  }
}

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
};
