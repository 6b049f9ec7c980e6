import { Module } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { MINUTE_MS, SECOND_MS } from '../../../kernel/clock';
import { EmailLimits, SharedLimit } from '../../../platform/database/shared-limit';
import { PeriodicTasks } from '../../../platform/jobs/periodic-tasks';
import { PageAddress } from '../../../platform/pages/pages.settings';
import { register } from '../../../platform/register';
import { ServiceModule } from '../../../platform/service-module';
import { AuthModule } from '../auth.module';
import { CredentialListeners } from '../domain/credential';
import { EmailVerifications, OwnEmails } from './email-verifications.service';
import { EmailedLinks, invalidResetToken, LinkAddresses, PasswordResetListeners } from './emailed-link';
import { emailedLinkSchema, EmailedLinksRepository } from './emailed-links.repository';
import { EmailedLinksService } from './emailed-links.service';
import { LinkPageRoutes } from './link-pages.routes';
import { EmailVerificationsController, PasswordResetsController } from './password-resets.controllers';
import { PasswordResetQuota, PasswordResetRequests, PasswordResets } from './password-resets.service';
import { passwordResetsSettings, PasswordResetsSettings } from './password-resets.settings';

/** The time in which requests are counted. */
const WINDOW_SECONDS = (60 * MINUTE_MS) / SECOND_MS;

/** Links by email, and the pages behind them: to set a new password, and to verify an email. */
@Module({
  imports: [AuthModule],
  controllers: [PasswordResetsController, EmailVerificationsController],
  providers: [
    EmailedLinksService,
    { provide: EmailedLinks, useExisting: EmailedLinksService },
    EmailedLinksRepository,
    PasswordResetRequests,
    PasswordResetListeners,
    PasswordResets,
    OwnEmails,
    EmailVerifications,
    LinkPageRoutes,
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
          new EmailLimits(dataSource, 'password-resets', requests, WINDOW_SECONDS),
          new SharedLimit(dataSource, 'password-resets-owner', requests.owner, WINDOW_SECONDS),
        ),
    },

    // Links no longer work after a change: the owner of the old email must not use them.
    register(CredentialListeners, [EmailedLinksRepository], (repository) => ({
      name: 'password-resets',
      passwordChanged: (tx, { subjectId }) => repository.deleteBySubject(tx, subjectId),
      emailChanged: (tx, { subjectId }) => repository.deleteBySubject(tx, subjectId),
      deleted: (tx, { subjectId }) => repository.deleteBySubject(tx, subjectId),
    })),
    register(PeriodicTasks, [EmailedLinksRepository], (repository) => ({
      name: 'expired emailed links',
      intervalMs: MINUTE_MS,
      run: (now) => repository.deleteExpired(now),
    })),
  ],
  exports: [EmailedLinks, PasswordResetListeners],
})
export class PasswordResetsModule {}

export const passwordResets: ServiceModule = {
  module: PasswordResetsModule,
  entities: [emailedLinkSchema],
  settings: [passwordResetsSettings],
  errorCodes: [invalidResetToken],
};
