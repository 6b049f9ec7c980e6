import { Module } from '@nestjs/common';
import { WriteTx } from '../../../platform/database/database';
import { PeriodicTasks } from '../../../platform/jobs/periodic-tasks';
import { register } from '../../../platform/register';
import { ServiceModule } from '../../../platform/service-module';
import { ClosingHooks } from '../../accounts';
import { AccountsModule } from '../../accounts/accounts.module';
import { PaymentProcessor, ProcessorEventHandlers } from '../../processors';
import { ProcessorsModule } from '../../processors/processors.module';
import { PaymentContext, PaymentRequestListeners } from '../domain/payment-context';
import { PaymentRequestsModule } from '../payment-requests.module';
import { hostedCheckoutSchema, HostedCheckoutsRepository } from './hosted-checkouts.repository';
import { HostedCheckouts } from './hosted-checkouts.service';

/** Payments on pages that the processor hosts. */
@Module({
  imports: [AccountsModule, PaymentRequestsModule, ProcessorsModule],
  providers: [
    HostedCheckouts,
    HostedCheckoutsRepository,

    // A request that is no longer pending must not be paid at the processor.
    register(
      PaymentRequestListeners,
      [PaymentProcessor, HostedCheckoutsRepository],
      (processor, repository) => {
        if (processor.checkouts === null) return null;
        const makeDue = (tx: WriteTx, { request }: PaymentContext, now: Date): void =>
          repository.makeDue(tx, request.accountId, request.id, now);
        return { name: 'hosted-checkout', paid: makeDue, ended: makeDue };
      },
    ),
    register(ClosingHooks, [PaymentProcessor, HostedCheckoutsRepository], (processor, repository) => {
      if (processor.checkouts === null) return null;
      return {
        name: 'hosted-checkout',
        cancelPending: async (tx, { id }, now) => repository.makeAllDue(tx, id, now),
      };
    }),
    register(ProcessorEventHandlers, [HostedCheckouts], (checkouts) => ({
      name: 'hosted-checkout',
      kind: 'checkout',
      idPrefix: 'pay',
      process: (tx, event, now) => checkouts.processEvent(tx, event, now),
    })),
    register(PeriodicTasks, [PaymentProcessor, HostedCheckouts], (processor, { statusChecks }) =>
      processor.checkouts === null ? null : statusChecks,
    ),
  ],
  exports: [HostedCheckouts],
})
export class HostedCheckoutModule {}

export const hostedCheckout: ServiceModule = {
  module: HostedCheckoutModule,
  entities: [hostedCheckoutSchema],
};
