import { Module, OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { Server } from 'node:http';
import { AddressInfo } from 'node:net';
import { CONFIG, Config } from '../../platform/config/config';
import { JobQueue } from '../../platform/jobs/job-queue';
import { Sweeps } from '../../platform/jobs/sweeps';
import { Mailer } from '../../platform/mail/mailer';
import { AccountClosing, AccountsModule } from '../accounts';
import { LatePaymentsModule } from '../late-payments';
import { ProvidersModule } from '../providers';
import { TransactionsModule } from '../transactions';
import { Checkout } from './application/checkout.service';
import { PaymentMails } from './application/payment-mails.service';
import { HostedCheckout } from './application/hosted-checkout.service';
import { PaymentRequests } from './application/payment-requests.service';
import { ProviderReports } from './application/provider-reports.service';
import { PaymentLinks } from './domain/payment-links';
import { PaymentRequestsRepository } from './domain/payment-requests.repository';
import { PaymentPageController } from './http/payment-page.controller';
import { PaymentRequestsController } from './http/payment-requests.controller';
import { ProviderEventsController } from './http/provider-events.controller';
import { TypeormPaymentRequestsRepository } from './infrastructure/typeorm-payment-requests.repository';

/** Money asked of customers with a link to a page where they pay. */
@Module({
  imports: [AccountsModule, ProvidersModule, TransactionsModule, LatePaymentsModule],
  controllers: [PaymentRequestsController],
  providers: [
    PaymentRequests,
    Checkout,
    PaymentMails,
    HostedCheckout,
    ProviderReports,
    PaymentPageController,
    ProviderEventsController,
    { provide: PaymentRequestsRepository, useClass: TypeormPaymentRequestsRepository },
    { provide: PaymentLinks, inject: [CONFIG, HttpAdapterHost], useFactory: paymentLinks },
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
    private readonly hosted: HostedCheckout,
  ) {}

  onModuleInit(): void {
    this.closing.join({
      name: 'payment-requests',
      carryOut: async (tx, account, now) => this.requests.cancelAllOf(tx, account, now),
    });
    this.sweeps.join({ name: 'payment requests', run: (now) => this.checkout.expireDue(now) });
    this.sweeps.join({ name: 'checkouts', run: (now) => this.hosted.followUp(now) });
    if (!this.mailer.configured) return;
    this.jobs.join(this.mails);
    this.sweeps.join({ name: 'mail to customers', run: (now) => this.mails.queueDue(now) });
  }
}

/** Without an address in the settings it is the service's own, with the port that it listens on. */
function paymentLinks({ paymentPageUrl, tls, port }: Config, adapters: HttpAdapterHost): PaymentLinks {
  return new PaymentLinks(() => {
    if (paymentPageUrl !== null) return paymentPageUrl;
    const server = adapters.httpAdapter?.getHttpServer() as Server | undefined;
    const listening = server?.address() as AddressInfo | null | undefined;
    return `${tls ? 'https' : 'http'}://localhost:${listening?.port ?? port}`;
  });
}
