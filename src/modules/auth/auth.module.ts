import { Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { JwtModule, JwtService } from '@nestjs/jwt';
import { PassportModule } from '@nestjs/passport';
import { Registry } from 'prom-client';
import { DataSource } from 'typeorm';
import { Clock, MINUTE_MS, SECOND_MS } from '../../kernel/clock';
import { AuditTrail } from '../../platform/audit/audit-trail';
import { SecretCipher } from '../../platform/config/secret-cipher';
import { Secrets, secretsSettings } from '../../platform/config/secrets.settings';
import { Database } from '../../platform/database/database';
import { processesSettings, ProcessesSettings } from '../../platform/database/processes.settings';
import { emailLimits, SharedLimit } from '../../platform/database/shared-limit';
import { PeriodicTasks } from '../../platform/jobs/periodic-tasks';
import { register } from '../../platform/register';
import { ServiceModule } from '../../platform/service-module';
import { AccessTokens } from './application/access-tokens';
import { AdminSessions } from './application/admin-sessions.service';
import { CredentialsService } from './application/credentials.service';
import { EmailChanges } from './application/email-changes.service';
import { FailedLogins } from './application/failed-logins';
import { KnownNetworks } from './application/known-networks';
import { LoginSubjectsService } from './application/login-subjects.service';
import { LoginsService } from './application/logins.service';
import { NewEmailLimitService } from './application/new-email-limit.service';
import { PasswordChanges } from './application/password-changes.service';
import { PasswordHasherService } from './application/password-hasher.service';
import { Reauthentication } from './application/reauthentication';
import { RecentLoginService } from './application/recent-login.service';
import { SessionsService } from './application/sessions.service';
import { SignUpsService } from './application/sign-ups.service';
import { verificationCheck } from './application/verification-check';
import { VerifiedEmailsService } from './application/verified-emails.service';
import { authSettings, AuthSettings } from './auth.settings';
import { ApiKeyCheck } from './domain/api-key-check';
import { CredentialListeners } from './domain/credential-listeners';
import { Credentials } from './domain/credentials';
import { CredentialsRepository } from './domain/credentials.repository';
import { LoginSubjects } from './domain/login-subjects';
import { Logins } from './domain/logins';
import { NewEmailLimit } from './domain/new-email-limit';
import { PasswordHasher } from './domain/password-hasher';
import { RecentLogin } from './domain/recent-login';
import { SecondFactorCheck } from './domain/second-factor-check';
import { Sessions } from './domain/sessions';
import { SessionsRepository } from './domain/sessions.repository';
import { SignInSubjects } from './domain/sign-in-subjects';
import { SignUps } from './domain/sign-ups';
import { VerifiedEmails } from './domain/verified-emails';
import { AdminSessionsController } from './http/admin-sessions.controller';
import { AuthController } from './http/auth.controller';
import { AuthGuard } from './http/auth.guard';
import { ConnectionShareGuard } from './http/connection-share.guard';
import { ContinuedAccess } from './http/continued-access';
import { JwtStrategy } from './http/jwt.strategy';
import { TokenSessions } from './http/token-sessions';
import { credentialSchema } from './infrastructure/credential.schema';
import { refreshTokenSchema, sessionSchema } from './infrastructure/session.schema';
import { SqlSessionsRepository } from './infrastructure/sql-sessions.repository';
import { TypeormCredentialsRepository } from './infrastructure/typeorm-credentials.repository';
import { SecondFactorCodes } from './second-factors/second-factor-codes.service';
import { SecondFactorsController } from './second-factors/second-factors.controller';
import { secondFactorSchema, SecondFactorsRepository } from './second-factors/second-factors.repository';
import { SecondFactorEnrolments, SecondFactors } from './second-factors/second-factors.service';

/** What the process asks about the connection of a token. */
export { ContinuedAccess, TokenSessions };

/** The time in which sign-ups, changes of emails and failed logins are counted. */
const WINDOW_SECONDS = (15 * MINUTE_MS) / SECOND_MS;

/** Credentials, sessions, tokens and second factors. */
@Module({
  imports: [PassportModule, JwtModule.register({})],
  controllers: [AuthController, AdminSessionsController, SecondFactorsController],
  providers: [
    { provide: Logins, useClass: LoginsService },
    PasswordChanges,
    AdminSessions,
    EmailChanges,
    Reauthentication,
    { provide: SignUps, useClass: SignUpsService },
    { provide: Credentials, useClass: CredentialsService },
    { provide: LoginSubjects, useClass: LoginSubjectsService },
    { provide: VerifiedEmails, useClass: VerifiedEmailsService },
    KnownNetworks,
    JwtStrategy,
    SignInSubjects,
    ApiKeyCheck,
    CredentialListeners,
    ContinuedAccess,
    TokenSessions,
    { provide: APP_GUARD, useClass: AuthGuard },
    { provide: APP_GUARD, useClass: ConnectionShareGuard },
    SecondFactors,
    SecondFactorEnrolments,
    SecondFactorCodes,
    SecondFactorsRepository,
    { provide: SecondFactorCheck, useExisting: SecondFactorCodes },
    {
      provide: SecretCipher,
      inject: [secretsSettings.token],
      useFactory: (secrets: Secrets) => new SecretCipher(secrets, 'second factor'),
    },
    { provide: CredentialsRepository, useClass: TypeormCredentialsRepository },
    { provide: SessionsRepository, useClass: SqlSessionsRepository },
    {
      provide: Sessions,
      inject: [SessionsRepository, AuditTrail, Database, Clock, RecentLogin, authSettings.token],
      useFactory: (
        repository: SessionsRepository,
        audit: AuditTrail,
        database: Database,
        clock: Clock,
        recentLogin: RecentLogin,
        settings: AuthSettings,
      ) =>
        new SessionsService(
          repository,
          audit,
          database,
          clock,
          recentLogin,
          settings.refreshReuseGraceSeconds,
          settings.maxSessions,
        ),
    },
    {
      provide: RecentLogin,
      inject: [Clock, authSettings.token],
      useFactory: (clock: Clock, settings: AuthSettings) =>
        new RecentLoginService(clock, settings.recentLoginSeconds),
    },
    {
      provide: AccessTokens,
      inject: [JwtService, secretsSettings.token, authSettings.token],
      useFactory: (jwt: JwtService, secrets: Secrets, settings: AuthSettings) =>
        new AccessTokens(jwt, secrets, settings.accessTokenSeconds),
    },
    {
      provide: FailedLogins,
      inject: [KnownNetworks, DataSource, authSettings.token],
      useFactory: (known: KnownNetworks, dataSource: DataSource, { failedLogins }: AuthSettings) =>
        new FailedLogins(known, emailLimits(dataSource, 'failed-logins', failedLogins, WINDOW_SECONDS)),
    },
    {
      provide: NewEmailLimit,
      inject: [DataSource, authSettings.token],
      useFactory: (dataSource: DataSource, { signUpLimit }: AuthSettings) =>
        new NewEmailLimitService(
          signUpLimit === 0 ? null : new SharedLimit(dataSource, 'sign-ups', signUpLimit, WINDOW_SECONDS),
        ),
    },
    {
      provide: PasswordHasher,
      inject: [authSettings.token, processesSettings.token, Registry],
      useFactory: (settings: AuthSettings, { coresOfEach }: ProcessesSettings, registry: Registry) =>
        new PasswordHasherService(settings.bcryptCost, coresOfEach, registry),
    },
    register(CredentialListeners, [SecondFactorsRepository], (repository) => ({
      name: 'second-factors',
      takenOver: (tx, { subjectId }) => repository.delete(tx, subjectId),
      deleted: (tx, { subjectId }) => repository.delete(tx, subjectId),
    })),
    register(PeriodicTasks, [Sessions], (sessions) => ({
      name: 'session expiry',
      run: (now) => sessions.endExpired(now),
    })),
    register(PeriodicTasks, [Sessions], (sessions) => ({
      name: 'expired sessions',
      run: (now) => sessions.deleteExpired(now),
    })),
    register(PeriodicTasks, [SecondFactorCodes], (codes) => ({
      name: 'rotation of second factor secrets',
      run: () => codes.reencrypt(),
    })),
  ],
  exports: [
    ApiKeyCheck,
    Credentials,
    CredentialListeners,
    KnownNetworks,
    LoginSubjects,
    Logins,
    NewEmailLimit,
    PasswordHasher,
    Reauthentication,
    RecentLogin,
    SecondFactorCheck,
    Sessions,
    SignInSubjects,
    SignUps,
    VerifiedEmails,
  ],
})
export class AuthModule {}

export const auth: ServiceModule = {
  module: AuthModule,
  entities: [credentialSchema, refreshTokenSchema, sessionSchema, secondFactorSchema],
  settings: [authSettings],
  healthChecks: [verificationCheck],
  idPrefixes: ['ses'],
  tags: [
    {
      name: 'Authentication',
      description: 'Log in and out, refresh tokens, list and end sessions, set up a second factor.',
    },
  ],
};
