import { Module, OnModuleInit } from '@nestjs/common';
import { WriteTx } from '../../../platform/database/tx';
import { PeriodicTasks } from '../../../platform/jobs/periodic-tasks';
import { ServiceModule } from '../../../platform/service-module';
import { AccountClosing } from '../../accounts';
import { AccountsModule } from '../../accounts/accounts.module';
import { PaymentProcessor, ProcessorEventHandlers } from '../../processors';
import { ProcessorsModule } from '../../processors/processors.module';
import { PaymentContext } from '../domain/payment-context';
import { PaymentRequestListeners } from '../domain/payment-request-listeners';
import { PaymentRequestsModule } from '../payment-requests.module';
import { DueCheckouts } from './application/due-checkouts';
import { HostedCheckouts } from './application/hosted-checkouts.service';
import { HostedCheckoutsRepository } from './domain/hosted-checkouts.repository';
import { hostedCheckoutSchema } from './infrastructure/hosted-checkout.schema';
import { TypeormHostedCheckoutsRepository } from './infrastructure/typeorm-hosted-checkouts.repository';

/** Payments on pages that the processor hosts. */
@Module({
  imports: [AccountsModule, PaymentRequestsModule, ProcessorsModule],
  providers: [
    HostedCheckouts,
    DueCheckouts,
    { provide: HostedCheckoutsRepository, useClass: TypeormHostedCheckoutsRepository },
  ],
  exports: [HostedCheckouts],
})
export class HostedCheckoutModule implements OnModuleInit {
  constructor(
    private readonly closing: AccountClosing,
    private readonly listeners: PaymentRequestListeners,
    private readonly eventHandlers: ProcessorEventHandlers,
    private readonly periodicTasks: PeriodicTasks,
    private readonly repository: HostedCheckoutsRepository,
    private readonly checkouts: HostedCheckouts,
    private readonly dueCheckouts: DueCheckouts,
    private readonly processor: PaymentProcessor,
  ) {}

  onModuleInit(): void {
    if (this.processor.checkouts === null) return;
    const name = 'hosted-checkout';
    // A request that is no longer pending must not be paid at the processor.
    const makeDue = (tx: WriteTx, { request }: PaymentContext, now: Date): void =>
      this.repository.makeDue(tx, request.accountId, request.id, now);
    this.listeners.register({ name, paid: makeDue, ended: makeDue });
    this.closing.register({
      name,
      cancelPending: async (tx, { id }, now) => this.repository.makeAllDue(tx, id, now),
    });
    this.eventHandlers.register({
      name,
      kind: 'checkout',
      idPrefix: 'pay',
      process: (tx, event, now) => this.checkouts.processEvent(tx, event, now),
    });
    this.periodicTasks.registerDueItems(this.dueCheckouts);
  }
}

export const hostedCheckout: ServiceModule = {
  module: HostedCheckoutModule,
  entities: [hostedCheckoutSchema],
};
