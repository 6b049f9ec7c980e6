import { Module } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { MINUTE_MS, SECOND_MS } from '../../../kernel/clock';
import { emailLimits, SharedLimit } from '../../../platform/database/shared-limit';
import { PeriodicTasks } from '../../../platform/jobs/periodic-tasks';
import { PageAddress } from '../../../platform/pages/pages.settings';
import { register } from '../../../platform/register';
import { ServiceModule } from '../../../platform/service-module';
import { AuthModule } from '../auth.module';
import { CredentialListeners } from '../domain/credential-listeners';
import { EmailVerificationsService } from './application/email-verifications.service';
import { PasswordResetQuota } from './application/password-reset-quota';
import { PasswordResetsService } from './application/password-resets.service';
import { EmailVerifications } from './domain/email-verifications';
import { invalidResetToken } from './domain/emailed-link';
import { EmailedLinksRepository } from './domain/emailed-links.repository';
import { LinkAddresses } from './domain/link-addresses';
import { PasswordResetListeners } from './domain/password-reset-listeners';
import { PasswordResets } from './domain/password-resets';
import { EmailVerificationPageRoutes } from './http/email-verification-page.routes';
import { EmailVerificationsController } from './http/email-verifications.controller';
import { PasswordResetPageRoutes } from './http/password-reset-page.routes';
import { PasswordResetsController } from './http/password-resets.controller';
import { emailedLinkSchema } from './infrastructure/emailed-link.schema';
import { TypeormEmailedLinksRepository } from './infrastructure/typeorm-emailed-links.repository';
import { PasswordResetsSettings, passwordResetsSettings } from './password-resets.settings';

/** The time in which requests are counted. */
const WINDOW_SECONDS = (60 * MINUTE_MS) / SECOND_MS;

/** Links by email, and the pages behind them: to set a new password, and to verify an email. */
@Module({
  imports: [AuthModule],
  controllers: [PasswordResetsController, EmailVerificationsController],
  providers: [
    { provide: PasswordResets, useClass: PasswordResetsService },
    PasswordResetListeners,
    PasswordResetPageRoutes,
    { provide: EmailVerifications, useClass: EmailVerificationsService },
    EmailVerificationPageRoutes,
    { provide: EmailedLinksRepository, useClass: TypeormEmailedLinksRepository },
    {
      provide: LinkAddresses,
      inject: [PageAddress, passwordResetsSettings.token],
      useFactory: (pages: PageAddress, { pageAddress }: PasswordResetsSettings) =>
        new LinkAddresses({
          password_reset: () => pageAddress ?? pages.to('/password-reset/'),
          email_verification: () => pages.to('/email-verification/'),
        }),
    },
    {
      provide: SharedLimit,
      inject: [DataSource, passwordResetsSettings.token],
      useFactory: (dataSource: DataSource, { requests }: PasswordResetsSettings) =>
        new SharedLimit(dataSource, 'email-verifications', requests.owner, WINDOW_SECONDS),
    },
    {
      provide: PasswordResetQuota,
      inject: [DataSource, passwordResetsSettings.token],
      useFactory: (dataSource: DataSource, { requests }: PasswordResetsSettings) =>
        new PasswordResetQuota(
          emailLimits(dataSource, 'password-resets', requests, WINDOW_SECONDS),
          new SharedLimit(dataSource, 'password-resets-owner', requests.owner, WINDOW_SECONDS),
        ),
    },

    // Links no longer work after a change: the owner of the old email must not use them.
    register(CredentialListeners, [EmailedLinksRepository], (repository) => ({
      name: 'password-resets',
      passwordChanged: (tx, { subjectId }) => repository.deleteOf(tx, subjectId),
      emailChanged: (tx, { subjectId }) => repository.deleteOf(tx, subjectId),
      deleted: (tx, { subjectId }) => repository.deleteOf(tx, subjectId),
    })),
    register(PeriodicTasks, [PasswordResets], (resets) => ({
      name: 'expired emailed links',
      run: (now) => resets.deleteExpired(now),
    })),
  ],
  exports: [PasswordResets, PasswordResetListeners, EmailVerifications],
})
export class PasswordResetsModule {}

export const passwordResets: ServiceModule = {
  module: PasswordResetsModule,
  entities: [emailedLinkSchema],
  settings: [passwordResetsSettings],
  errorCodes: [invalidResetToken],
};
