import { Module, OnModuleInit } from '@nestjs/common';
import { Sweeps } from '../../platform/jobs/sweeps';
import { AccountClosing, AccountsModule } from '../accounts';
import { PaymentRequestsModule } from '../payment-requests';
import { DueSubscriptions } from './application/due-subscriptions';
import { Subscriptions } from './application/subscriptions.service';
import { SubscriptionsRepository } from './domain/subscriptions.repository';
import { SubscriptionsController } from './http/subscriptions.controller';
import { TypeormSubscriptionsRepository } from './infrastructure/typeorm-subscriptions.repository';

/** Payment requests to the same customer again and again, one each period. */
@Module({
  imports: [AccountsModule, PaymentRequestsModule],
  controllers: [SubscriptionsController],
  providers: [
    Subscriptions,
    DueSubscriptions,
    { provide: SubscriptionsRepository, useClass: TypeormSubscriptionsRepository },
  ],
})
export class SubscriptionsModule implements OnModuleInit {
  constructor(
    private readonly closing: AccountClosing,
    private readonly sweeps: Sweeps,
    private readonly subscriptions: Subscriptions,
    private readonly due: DueSubscriptions,
  ) {}

  onModuleInit(): void {
    this.closing.join({
      name: 'subscriptions',
      veto: (tx, account) => this.subscriptions.assertNoneActive(tx, account),
    });
    this.sweeps.join({ name: 'subscriptions', run: (now) => this.due.run(now) });
  }
}
