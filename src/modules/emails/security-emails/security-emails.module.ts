import { Module, OnModuleInit } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { DAY_MS, SECOND_MS } from '../../../kernel/clock';
import { SharedLimit } from '../../../platform/database/shared-limit';
import { JobQueue } from '../../../platform/jobs/job-queue';
import { PeriodicTasks } from '../../../platform/jobs/periodic-tasks';
import { Mailer } from '../../../platform/mail/mailer';
import { ServiceModule } from '../../../platform/service-module';
import { currentTrace } from '../../../platform/telemetry/spans';
import { CredentialListeners, PasswordResetListeners } from '../../auth';
import { AuthModule } from '../../auth/auth.module';
import { PasswordResetsModule } from '../../auth/password-resets/password-resets.module';
import { NoticeQuota } from './application/notice-quota';
import { SecurityEmailJob } from './application/security-email-job';
import { SecurityEmails } from './application/security-emails.service';
import { SecurityEmail } from './domain/security-email';
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
  ],
})
class SecurityEmailsModule implements OnModuleInit {
  constructor(
    private readonly mailer: Mailer,
    private readonly jobs: JobQueue,
    private readonly periodicTasks: PeriodicTasks,
    private readonly credentialListeners: CredentialListeners,
    private readonly passwordResetListeners: PasswordResetListeners,
    private readonly repository: SecurityEmailsRepository,
    private readonly emails: SecurityEmails,
    private readonly job: SecurityEmailJob,
  ) {}

  onModuleInit(): void {
    this.periodicTasks.register({ name: 'old security emails', run: (now) => this.emails.deleteOld(now) });
    if (!this.mailer.configured) return;
    this.credentialListeners.register({
      name: 'security-emails',
      passwordChanged: (tx, credential, now) =>
        this.repository.add(tx, SecurityEmail.toSubject('password_changed', credential, currentTrace(), now)),
      emailChanged: (tx, credential, now) =>
        this.repository.add(tx, SecurityEmail.toSubject('email_changed', credential, currentTrace(), now)),
      emailUnverified: (tx, credential, now) =>
        this.repository.add(
          tx,
          SecurityEmail.toSubject('email_verification', credential, currentTrace(), now),
        ),
    });
    this.passwordResetListeners.register({
      name: 'security-emails',
      requested: (tx, { emailKey, language }, now) =>
        this.repository.add(tx, SecurityEmail.passwordReset(emailKey, language, currentTrace(), now)),
    });
    this.jobs.register(this.job);
    this.periodicTasks.register({ name: 'security emails', run: () => this.emails.addJobs() });
  }
}

export const securityEmails: ServiceModule = {
  module: SecurityEmailsModule,
  entities: [securityEmailSchema],
  idPrefixes: ['eml'],
};
