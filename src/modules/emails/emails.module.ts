import { Module } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { DAY_MS, MINUTE_MS, SECOND_MS } from '../../kernel/clock';
import { SharedLimit } from '../../platform/database/shared-limit';
import { WriteTx } from '../../platform/database/database';
import { PeriodicTasks } from '../../platform/jobs/periodic-tasks';
import { Mailer } from '../../platform/mail/mailer';
import { register } from '../../platform/register';
import { ServiceModule } from '../../platform/service-module';
import { currentTrace } from '../../platform/telemetry/spans';
import { AccountsModule } from '../accounts/accounts.module';
import { ChangedCredential, CredentialListeners } from '../auth';
import { AuthModule } from '../auth/auth.module';
import { WebhooksModule } from '../events/webhooks/webhooks.module';
import { PaymentRequestListeners } from '../payment-requests';
import { PaymentRequestsModule } from '../payment-requests/payment-requests.module';
import { ProcessorsModule } from '../processors/processors.module';
import { PaymentEmail, SecurityEmail, SecurityEmailKind } from './due-emails';
import { NoticeQuota, PaymentEmailQuotas } from './email-quotas.service';
import {
  paymentEmailSchema,
  PaymentEmailsRepository,
  securityEmailSchema,
  SecurityEmailsRepository,
} from './emails.repository';
import { emailsSettings, EmailsSettings } from './emails.settings';
import { EndpointLetters } from './endpoint-letters.service';
import { Outbox } from './outbox.task';
import { PaymentEmailsController } from './payment-emails.controller';
import { RepeatedPaymentEmails } from './payment-emails.service';
import { PaymentLetters } from './payment-letters.service';
import { QueuedEmails } from './queued-emails.repository';
import { SecurityLetters } from './security-letters.service';

/** Notices to one address about a user, and as many about an account, within a day; and as many links to verify it. */
const MAX_NOTICES = 10;

/** Emails about logins that could not be sent are deleted after this time, when their attempts have ended. */
const KEPT_DAYS = 2;

/**
 * Emails to customers when a payment is requested and when it is paid, about logins, and of disabled webhook endpoints.
 * Without a mail server, none is sent.
 */
@Module({
  imports: [AuthModule, AccountsModule, PaymentRequestsModule, ProcessorsModule, WebhooksModule],
  controllers: [PaymentEmailsController],
  providers: [
    Outbox,
    PaymentLetters,
    SecurityLetters,
    EndpointLetters,
    RepeatedPaymentEmails,
    PaymentEmailsRepository,
    SecurityEmailsRepository,
    QueuedEmails,
    {
      provide: NoticeQuota,
      inject: [DataSource],
      useFactory: (dataSource: DataSource) =>
        new NoticeQuota(dailyLimit(dataSource, 'security-notices', MAX_NOTICES)),
    },
    {
      provide: PaymentEmailQuotas,
      inject: [DataSource, emailsSettings.token],
      useFactory: (dataSource: DataSource, settings: EmailsSettings) => {
        const limit = (name: string, points: number) =>
          points === 0 ? null : dailyLimit(dataSource, name, points);
        return new PaymentEmailQuotas({
          perAccountAndRecipient: limit('emails-both', settings.perAccountAndRecipient),
          perAccount: limit('emails-account', settings.perAccount),
          perRecipient: limit('emails-recipient', settings.perRecipient),
        });
      },
    },
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
    register(CredentialListeners, [Mailer, SecurityEmailsRepository], (mailer, repository) => {
      if (!mailer.configured) return null;
      const add =
        (kind: Exclude<SecurityEmailKind, 'password_reset'>) =>
        (tx: WriteTx, credential: ChangedCredential, now: Date): void =>
          repository.add(tx, SecurityEmail.toSubject(kind, credential, currentTrace(), now));
      return {
        name: 'security-emails',
        passwordChanged: add('password_changed'),
        emailChanged: add('email_changed'),
        emailUnverified: add('email_verification'),
        invited: add('invitation'),
        resetRequested: (tx, { emailKey, language }, now) =>
          repository.add(tx, SecurityEmail.passwordReset(emailKey, language, currentTrace(), now)),
      };
    }),
    register(PeriodicTasks, [SecurityEmailsRepository], (repository) => ({
      name: 'old security emails',
      intervalMs: MINUTE_MS,
      run: (now) => repository.deleteOld(new Date(now.getTime() - KEPT_DAYS * DAY_MS)),
    })),
    register(PeriodicTasks, [Mailer, QueuedEmails], (mailer, queue) =>
      mailer.configured
        ? {
            name: 'emails of the previous release',
            intervalMs: MINUTE_MS,
            run: () => queue.takeOver(),
          }
        : null,
    ),
    register(PeriodicTasks, [Outbox, SecurityLetters], (outbox, letters) => outbox.taskFor(letters)),
    register(PeriodicTasks, [Outbox, PaymentLetters], (outbox, letters) => outbox.taskFor(letters)),
    register(PeriodicTasks, [Outbox, EndpointLetters], (outbox, letters) => outbox.taskFor(letters)),
  ],
})
class EmailsModule {}

function dailyLimit(dataSource: DataSource, name: string, points: number): SharedLimit {
  return new SharedLimit(dataSource, name, points, DAY_MS / SECOND_MS);
}

export const emails: ServiceModule = {
  module: EmailsModule,
  entities: [securityEmailSchema, paymentEmailSchema],
  settings: [emailsSettings],
  idPrefixes: ['eml'],
};
