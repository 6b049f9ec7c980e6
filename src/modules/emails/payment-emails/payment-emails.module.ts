import { Module } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { DAY_MS, SECOND_MS } from '../../../kernel/clock';
import { SharedLimit } from '../../../platform/database/shared-limit';
import { JobQueue } from '../../../platform/jobs/job-queue';
import { PeriodicTasks } from '../../../platform/jobs/periodic-tasks';
import { Mailer } from '../../../platform/mail/mailer';
import { register } from '../../../platform/register';
import { ServiceModule } from '../../../platform/service-module';
import { currentTrace } from '../../../platform/telemetry/spans';
import { AccountsModule } from '../../accounts/accounts.module';
import { PaymentRequestListeners } from '../../payment-requests';
import { PaymentRequestsModule } from '../../payment-requests/payment-requests.module';
import { ProcessorsModule } from '../../processors/processors.module';
import { DuePaymentEmails } from './application/due-payment-emails';
import { PaymentEmailJob } from './application/payment-email-job';
import { PaymentEmailQuotas } from './application/payment-email-quotas';
import { RepeatedPaymentEmails } from './application/repeated-payment-emails';
import { PaymentEmail } from './domain/payment-email';
import { PaymentEmailsRepository } from './domain/payment-emails.repository';
import { PaymentEmailsController } from './http/payment-emails.controller';
import { paymentEmailSchema } from './infrastructure/payment-email.schema';
import { TypeormPaymentEmailsRepository } from './infrastructure/typeorm-payment-emails.repository';
import { PaymentEmailsSettings, paymentEmailsSettings } from './payment-emails.settings';

/** Emails to customers when a payment is requested and when it is paid. Without a mail server, no emails are sent. */
@Module({
  imports: [AccountsModule, PaymentRequestsModule, ProcessorsModule],
  controllers: [PaymentEmailsController],
  providers: [
    PaymentEmailJob,
    RepeatedPaymentEmails,
    DuePaymentEmails,
    {
      provide: PaymentEmailQuotas,
      inject: [DataSource, paymentEmailsSettings.token],
      useFactory: (dataSource: DataSource, settings: PaymentEmailsSettings) =>
        new PaymentEmailQuotas({
          perAccountAndRecipient: dailyLimit(dataSource, 'emails-both', settings.perAccountAndRecipient),
          perAccount: dailyLimit(dataSource, 'emails-account', settings.perAccount),
          perRecipient: dailyLimit(dataSource, 'emails-recipient', settings.perRecipient),
        }),
    },
    { provide: PaymentEmailsRepository, useClass: TypeormPaymentEmailsRepository },
    register(PaymentRequestListeners, [Mailer, PaymentEmailsRepository], (mailer, repository) => {
      if (!mailer.configured) return null;
      return {
        name: 'payment-emails',
        created: (tx, { request }, now) =>
          repository.add(tx, PaymentEmail.create(request, 'request', currentTrace(), now)),
        paid: (tx, { request }, now) =>
          repository.add(tx, PaymentEmail.create(request, 'receipt', currentTrace(), now)),
      };
    }),
    register(JobQueue, [Mailer, PaymentEmailJob], (mailer, job) => (mailer.configured ? job : null)),
    register(PeriodicTasks, [Mailer, DuePaymentEmails], (mailer, due) => (mailer.configured ? due : null)),
  ],
})
class PaymentEmailsModule {}

/** A limit within 24 hours, or null for 0 points. */
function dailyLimit(dataSource: DataSource, name: string, points: number): SharedLimit | null {
  return points === 0 ? null : new SharedLimit(dataSource, name, points, DAY_MS / SECOND_MS);
}

export const paymentEmails: ServiceModule = {
  module: PaymentEmailsModule,
  entities: [paymentEmailSchema],
  settings: [paymentEmailsSettings],
};
