import { Module } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { DAY_MS, SECOND_MS } from '../../../kernel/clock';
import { SharedLimit } from '../../../platform/database/shared-limit';
import { WriteTx } from '../../../platform/database/tx';
import { JobQueue } from '../../../platform/jobs/job-queue';
import { PeriodicTasks } from '../../../platform/jobs/periodic-tasks';
import { Mailer } from '../../../platform/mail/mailer';
import { register } from '../../../platform/register';
import { ServiceModule } from '../../../platform/service-module';
import { currentTrace } from '../../../platform/telemetry/spans';
import { ChangedCredential, CredentialListeners, PasswordResetListeners } from '../../auth';
import { AuthModule } from '../../auth/auth.module';
import { PasswordResetsModule } from '../../auth/password-resets/password-resets.module';
import { NoticeQuota } from './application/notice-quota';
import { SecurityEmailJob } from './application/security-email-job';
import { SecurityEmails } from './application/security-emails.service';
import { SecurityEmail, SecurityEmailKind } from './domain/security-email';
import { SecurityEmailsRepository } from './domain/security-emails.repository';
import { securityEmailSchema } from './infrastructure/security-email.schema';
import { TypeormSecurityEmailsRepository } from './infrastructure/typeorm-security-emails.repository';

/** Notices to one address about a user, and as many about an account, within a day; and as many links to verify it. */
const MAX_NOTICES = 10;

/**
 * Emails about logins: links to set a new password or to verify an email, and notices of changes. Without a mail server, no emails are sent.
 */
@Module({
  imports: [AuthModule, PasswordResetsModule],
  providers: [
    SecurityEmails,
    SecurityEmailJob,
    {
      provide: NoticeQuota,
      inject: [DataSource],
      useFactory: (dataSource: DataSource) =>
        new NoticeQuota(new SharedLimit(dataSource, 'security-notices', MAX_NOTICES, DAY_MS / SECOND_MS)),
    },
    { provide: SecurityEmailsRepository, useClass: TypeormSecurityEmailsRepository },
    register(PeriodicTasks, [SecurityEmails], (emails) => ({
      name: 'old security emails',
      run: (now) => emails.deleteOld(now),
    })),
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
      };
    }),
    register(PasswordResetListeners, [Mailer, SecurityEmailsRepository], (mailer, repository) =>
      mailer.configured
        ? {
            name: 'security-emails',
            requested: (tx, { emailKey, language }, now) =>
              repository.add(tx, SecurityEmail.passwordReset(emailKey, language, currentTrace(), now)),
          }
        : null,
    ),
    register(JobQueue, [Mailer, SecurityEmailJob], (mailer, job) => (mailer.configured ? job : null)),
    register(PeriodicTasks, [Mailer, SecurityEmails], (mailer, emails) =>
      mailer.configured ? { name: 'security emails', run: () => emails.addJobs() } : null,
    ),
  ],
})
class SecurityEmailsModule {}

export const securityEmails: ServiceModule = {
  module: SecurityEmailsModule,
  entities: [securityEmailSchema],
  idPrefixes: ['eml'],
};
