import { Module, OnModuleInit } from '@nestjs/common';
import { JobQueue } from '../../platform/jobs/job-queue';
import { Sweeps } from '../../platform/jobs/sweeps';
import { Mailer } from '../../platform/mail/mailer';
import { AccountClosing, AccountsModule } from '../accounts';
import { TransactionsModule } from '../transactions';
import { Checkout } from './application/checkout.service';
import { PaymentMails } from './application/payment-mails.service';
import { PaymentRequests } from './application/payment-requests.service';
import { PaymentRequestsRepository } from './domain/payment-requests.repository';
import { PaymentPageController } from './http/payment-page.controller';
import { PaymentRequestsController } from './http/payment-requests.controller';
import { TypeormPaymentRequestsRepository } from './infrastructure/typeorm-payment-requests.repository';

/** Money asked of customers with a link to a page where they pay. */
@Module({
  imports: [AccountsModule, TransactionsModule],
  controllers: [PaymentRequestsController],
  providers: [
    PaymentRequests,
    Checkout,
    PaymentMails,
    PaymentPageController,
    { provide: PaymentRequestsRepository, useClass: TypeormPaymentRequestsRepository },
  ],
  exports: [PaymentRequests],
})
export class PaymentRequestsModule implements OnModuleInit {
  constructor(
    private readonly closing: AccountClosing,
    private readonly sweeps: Sweeps,
    private readonly requests: PaymentRequests,
    private readonly checkout: Checkout,
    private readonly mailer: Mailer,
    private readonly jobs: JobQueue,
    private readonly mails: PaymentMails,
  ) {}

  onModuleInit(): void {
    this.closing.join({
      name: 'payment-requests',
      carryOut: async (tx, account, now) => this.requests.cancelAllOf(tx, account, now),
    });
    this.sweeps.join({ name: 'payment requests', run: (now) => this.checkout.expireDue(now) });
    if (!this.mailer.configured) return;
    this.jobs.join(this.mails);
    this.sweeps.join({ name: 'mail to customers', run: (now) => this.mails.queueDue(now) });
  }
}
