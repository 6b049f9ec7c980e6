import { Module, OnApplicationBootstrap, OnModuleInit } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { MINUTE_MS, SECOND_MS } from '../../kernel/clock';
import { emailLimits, SharedLimit } from '../../platform/database/shared-limit';
import { PeriodicTasks } from '../../platform/jobs/periodic-tasks';
import { PageAddress } from '../../platform/pages/page-address';
import { ServiceModule } from '../../platform/service-module';
import { AuthModule, CredentialListeners } from '../auth';
import { PasswordResetQuota } from './application/password-reset-quota';
import { PasswordResets } from './application/password-resets.service';
import { invalidResetToken } from './domain/password-reset';
import { PasswordResetLinks } from './domain/password-reset-links';
import { PasswordResetListeners } from './domain/password-reset-listeners';
import { PasswordResetsRepository } from './domain/password-resets.repository';
import { PasswordResetPageRoutes } from './http/password-reset-page.routes';
import { PasswordResetsController } from './http/password-resets.controller';
import { passwordResetSchema } from './infrastructure/password-reset.schema';
import { TypeormPasswordResetsRepository } from './infrastructure/typeorm-password-resets.repository';
import { PasswordResetsSettings, passwordResetsSettings } from './password-resets.settings';

/** The time in which requests are counted. */
const WINDOW_SECONDS = (60 * MINUTE_MS) / SECOND_MS;

/** Forgotten passwords: links with which a new password is set, and the page behind them. */
@Module({
  imports: [AuthModule],
  controllers: [PasswordResetsController],
  providers: [
    PasswordResets,
    PasswordResetListeners,
    PasswordResetPageRoutes,
    { provide: PasswordResetsRepository, useClass: TypeormPasswordResetsRepository },
    {
      provide: PasswordResetLinks,
      inject: [PageAddress, passwordResetsSettings.token],
      useFactory: (pages: PageAddress, { pageAddress }: PasswordResetsSettings) =>
        new PasswordResetLinks(() => pageAddress ?? pages.to('/password-reset/')),
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
  ],
  exports: [PasswordResets, PasswordResetListeners],
})
export class PasswordResetsModule implements OnModuleInit, OnApplicationBootstrap {
  constructor(
    private readonly credentialListeners: CredentialListeners,
    private readonly repository: PasswordResetsRepository,
    private readonly periodicTasks: PeriodicTasks,
    private readonly resets: PasswordResets,
    private readonly listeners: PasswordResetListeners,
  ) {}

  /** Links no longer work after a change: whoever has the old email must not use them. */
  onModuleInit(): void {
    this.credentialListeners.register({
      name: 'password-resets',
      passwordChanged: (tx, { subjectId }) => this.repository.deleteOf(tx, subjectId),
      emailChanged: (tx, { subjectId }) => this.repository.deleteOf(tx, subjectId),
      deleted: (tx, { subjectId }) => this.repository.deleteOf(tx, subjectId),
    });
    this.periodicTasks.register({
      name: 'expired password resets',
      run: (now) => this.resets.deleteExpired(now),
    });
  }

  onApplicationBootstrap(): void {
    this.listeners.freeze();
  }
}

export const passwordResets: ServiceModule = {
  module: PasswordResetsModule,
  entities: [passwordResetSchema],
  settings: [passwordResetsSettings],
  errorCodes: [invalidResetToken],
};
