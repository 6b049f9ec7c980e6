import { Module, OnModuleInit } from '@nestjs/common';
import { AccountClosing, AccountsModule } from '../accounts';
import { PaymentRequests } from './application/payment-requests.service';
import { PaymentRequestsRepository } from './domain/payment-requests.repository';
import { PaymentRequestsController } from './http/payment-requests.controller';
import { TypeormPaymentRequestsRepository } from './infrastructure/typeorm-payment-requests.repository';

/** Money asked of customers with a link to a page where they pay. */
@Module({
  imports: [AccountsModule],
  controllers: [PaymentRequestsController],
  providers: [
    PaymentRequests,
    { provide: PaymentRequestsRepository, useClass: TypeormPaymentRequestsRepository },
  ],
})
export class PaymentRequestsModule implements OnModuleInit {
  constructor(
    private readonly closing: AccountClosing,
    private readonly requests: PaymentRequests,
  ) {}

  onModuleInit(): void {
    this.closing.join({
      name: 'payment-requests',
      carryOut: async (tx, account, now) => this.requests.cancelAllOf(tx, account, now),
    });
  }
}
