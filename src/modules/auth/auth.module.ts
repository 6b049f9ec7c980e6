import { FactoryProvider, InjectionToken, Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { JwtModule, JwtService } from '@nestjs/jwt';
import { PassportModule } from '@nestjs/passport';
import { Registry } from 'prom-client';
import { DataSource } from 'typeorm';
import { Clock, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../kernel/clock';
import { SecretCipher } from '../../platform/config/secret-cipher';
import { Secrets, secretsSettings } from '../../platform/config/secrets.settings';
import { Database } from '../../platform/database/database';
import { processesSettings, ProcessesSettings } from '../../platform/database/processes.settings';
import { EmailLimits, SharedLimit } from '../../platform/database/shared-limit';
import { VersionGuard } from '../../platform/http/requested-version';
import { PeriodicTasks } from '../../platform/jobs/periodic-tasks';
import { Mailer } from '../../platform/mail/mailer';
import { register } from '../../platform/register';
import { ServiceModule } from '../../platform/service-module';
import { AccessTokens } from './application/access-tokens';
import { EmailChanges, PasswordChanges } from './application/credential-changes.service';
import { EmailProofs, verificationCheck } from './application/email-proofs';
import { FailedLogins, KnownNetworks } from './application/failed-logins';
import { LoginSessions } from './application/login-sessions';
import { LoginsService, TokenIssuer } from './application/logins.service';
import { PasswordHasherService } from './application/password-hasher.service';
import { PinnedVersions } from './application/pinned-versions.service';
import { Reauthentication } from './application/reauthentication';
import { Sessions } from './application/sessions.service';
import { authSettings, AuthSettings } from './auth.settings';
import { ApiKeyCheck, coreScopes } from './domain/api-key-check';
import { CredentialListeners, CredentialsRepository } from './domain/credential';
import { Credentials } from './domain/credentials';
import { Logins } from './domain/logins';
import { PasswordHasher } from './domain/passwords';
import { RecentLogin } from './domain/principal';
import { SessionsRepository } from './domain/sessions.repository';
import { LoginSubjects, SignInSubjects } from './domain/sign-in-subjects';
import { NewEmailLimit, SignUps } from './domain/sign-ups';
import { VerifiedEmails } from './domain/verified-emails';
import { AccountSessionsController, UserSessionsController } from './http/admin-sessions.controllers';
import { AuthController } from './http/auth.controller';
import { AuthGuard, ConnectionShareGuard } from './http/auth.guard';
import { JwtStrategy } from './http/jwt.strategy';
import { PinnedVersionsController } from './http/pinned-versions.controller';
import { ContinuedAccess, TokenSessions } from './http/token-sessions';
import { refreshTokenSchema, sessionSchema } from './infrastructure/session.schema';
import { SqlSessionsRepository } from './infrastructure/sql-sessions.repository';
import {
  credentialSchema,
  TypeormCredentialsRepository,
} from './infrastructure/typeorm-credentials.repository';
import { EmailedLinks, invalidResetToken } from './password-resets/emailed-link';
import { emailedLinkSchema, EmailedLinksRepository } from './password-resets/emailed-links.repository';
import { EmailedLinksService, LinkAddresses } from './password-resets/emailed-links.service';
import { EmailVerifications, OwnEmails } from './password-resets/email-verifications.service';
import { LinkPageRoutes } from './password-resets/link-pages.routes';
import {
  EmailVerificationsController,
  PasswordResetsController,
} from './password-resets/password-resets.controllers';
import {
  EmailedLinkQuota,
  PasswordResetRequests,
  PasswordResets,
} from './password-resets/password-resets.service';
import { passwordResetsSettings, PasswordResetsSettings } from './password-resets/password-resets.settings';
import { SecondFactorCodes } from './second-factors/second-factor-codes.service';
import { SecondFactorsController } from './second-factors/second-factors.controller';
import { secondFactorSchema, SecondFactorsRepository } from './second-factors/second-factors.repository';
import { SecondFactorEnrolments, SecondFactors } from './second-factors/second-factors.service';
import { IdentitiesRepository, identitySchema } from './single-sign-on/identities.repository';
import { IdentityUsers } from './single-sign-on/identity-users.service';
import { OpenIdProvider } from './single-sign-on/openid-provider';
import { PasswordSignIn } from './single-sign-on/password-sign-in.service';
import { ProvidedUsers, SingleSignOn } from './single-sign-on/single-sign-on';
import {
  OpenIdProviders,
  providersCheck,
  SignInFlows,
  SingleSignOnService,
} from './single-sign-on/single-sign-on.service';
import { singleSignOnSettings, SingleSignOnSettings } from './single-sign-on/single-sign-on.settings';

/** What the process asks about the connection of a token. */
export { ContinuedAccess, TokenSessions };

/** The time in which sign-ups, changes of emails and failed logins are counted. */
const WINDOW_SECONDS = (15 * MINUTE_MS) / SECOND_MS;
/** The time in which requests of links are counted. */
const LINK_WINDOW_SECONDS = HOUR_MS / SECOND_MS;

/** Provides a class of the domain, which has no decorator that tells its dependencies. */
function provide<Dependencies extends unknown[]>(
  type: new (...dependencies: Dependencies) => object,
  inject: readonly InjectionToken[],
): FactoryProvider {
  return {
    provide: type,
    inject: [...inject],
    useFactory: (...dependencies: Dependencies) => new type(...dependencies),
  };
}

/**
 * Credentials, sessions, tokens and second factors; links by email, and the pages behind them: to set a new password, and to
 * verify an email.
 */
@Module({
  imports: [PassportModule, JwtModule.register({})],
  controllers: [
    AuthController,
    UserSessionsController,
    AccountSessionsController,
    PinnedVersionsController,
    SecondFactorsController,
    PasswordResetsController,
    EmailVerificationsController,
  ],
  providers: [
    { provide: Logins, useClass: LoginsService },
    provide(Credentials, [CredentialsRepository, SessionsRepository, CredentialListeners]),
    provide(LoginSubjects, [CredentialsRepository, SignInSubjects]),
    provide(VerifiedEmails, [CredentialsRepository, Credentials, ApiKeyCheck, authSettings.token]),
    provide(RecentLogin, [Clock, authSettings.token]),
    provide(SignUps, [Database, Credentials, PasswordHasher, NewEmailLimit, Mailer]),
    EmailChanges,
    EmailProofs,
    KnownNetworks,
    LoginSessions,
    PasswordChanges,
    PinnedVersions,
    Reauthentication,
    Sessions,
    TokenIssuer,
    ApiKeyCheck,
    CredentialListeners,
    SignInSubjects,
    JwtStrategy,
    ContinuedAccess,
    TokenSessions,
    { provide: APP_GUARD, useClass: AuthGuard },
    { provide: APP_GUARD, useClass: VersionGuard },
    { provide: APP_GUARD, useClass: ConnectionShareGuard },
    SecondFactors,
    SecondFactorEnrolments,
    SecondFactorCodes,
    SecondFactorsRepository,
    { provide: SingleSignOn, useClass: SingleSignOnService },
    IdentitiesRepository,
    IdentityUsers,
    PasswordSignIn,
    ProvidedUsers,
    { provide: CredentialsRepository, useClass: TypeormCredentialsRepository },
    { provide: SessionsRepository, useClass: SqlSessionsRepository },
    {
      provide: SecretCipher,
      inject: [secretsSettings.token],
      useFactory: (secrets: Secrets) => new SecretCipher(secrets, 'second factor'),
    },
    {
      provide: SignInFlows,
      inject: [secretsSettings.token, Clock],
      useFactory: (secrets: Secrets, clock: Clock) =>
        new SignInFlows(new SecretCipher(secrets, 'single sign-on'), clock),
    },
    {
      provide: OpenIdProviders,
      inject: [singleSignOnSettings.token, authSettings.token, DataSource],
      useFactory: (
        { providers }: SingleSignOnSettings,
        { recentLoginSeconds, failedLogins }: AuthSettings,
        dataSource: DataSource,
      ) =>
        new OpenIdProviders(
          providers.map((provider) => new OpenIdProvider(provider, recentLoginSeconds)),
          new SharedLimit(dataSource, 'single-sign-on', failedLogins.network, WINDOW_SECONDS),
        ),
    },
    {
      provide: AccessTokens,
      inject: [JwtService, secretsSettings.token, authSettings.token],
      useFactory: (jwt: JwtService, secrets: Secrets, settings: AuthSettings) =>
        new AccessTokens(jwt, secrets, settings.accessTokenSeconds),
    },
    {
      provide: FailedLogins,
      inject: [KnownNetworks, Database, DataSource, authSettings.token],
      useFactory: (
        known: KnownNetworks,
        database: Database,
        dataSource: DataSource,
        { failedLogins }: AuthSettings,
      ) =>
        new FailedLogins(
          known,
          new EmailLimits(dataSource, 'failed-logins', failedLogins, WINDOW_SECONDS),
          database,
        ),
    },
    {
      provide: NewEmailLimit,
      inject: [DataSource, authSettings.token],
      useFactory: (dataSource: DataSource, { signUpLimit }: AuthSettings) =>
        new NewEmailLimit(
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
      secondFactorReset: (tx, { subjectId }) => repository.delete(tx, subjectId),
      deleted: (tx, { subjectId }) => repository.delete(tx, subjectId),
    })),
    // A reset of the password keeps identities: it must not bring the password back as a way to sign in.
    register(CredentialListeners, [IdentitiesRepository], (identities) => ({
      name: 'identities',
      deleted: (tx, { subjectId }) => identities.deleteOfUser(tx, subjectId),
    })),
    register(PeriodicTasks, [Sessions], (sessions) => ({
      name: 'session expiry',
      run: (now) => sessions.endExpired(now),
    })),
    register(PeriodicTasks, [Sessions], (sessions) => ({
      name: 'expired sessions',
      intervalMs: MINUTE_MS,
      run: (now) => sessions.deleteExpired(now),
    })),
    register(PeriodicTasks, [SecondFactorCodes], (codes) => ({
      name: 'rotation of second factor secrets',
      run: () => codes.reencrypt(),
    })),

    EmailedLinksService,
    { provide: EmailedLinks, useExisting: EmailedLinksService },
    EmailedLinksRepository,
    EmailVerifications,
    LinkAddresses,
    LinkPageRoutes,
    OwnEmails,
    PasswordResetRequests,
    PasswordResets,
    {
      provide: EmailedLinkQuota,
      inject: [DataSource, passwordResetsSettings.token],
      useFactory: (dataSource: DataSource, { requests }: PasswordResetsSettings) => {
        const ofOwner = (name: string) =>
          new SharedLimit(dataSource, name, requests.owner, LINK_WINDOW_SECONDS);
        return new EmailedLinkQuota(
          new EmailLimits(dataSource, 'password-resets', requests, LINK_WINDOW_SECONDS),
          ofOwner('password-resets-owner'),
          ofOwner('email-verifications'),
        );
      },
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
  exports: [
    ApiKeyCheck,
    Credentials,
    CredentialsRepository,
    CredentialListeners,
    EmailedLinks,
    LoginSubjects,
    Logins,
    NewEmailLimit,
    PasswordHasher,
    ProvidedUsers,
    RecentLogin,
    SignInSubjects,
    SignUps,
    SingleSignOn,
    VerifiedEmails,
  ],
})
export class AuthModule {}

export const auth: ServiceModule = {
  module: AuthModule,
  entities: [
    credentialSchema,
    emailedLinkSchema,
    identitySchema,
    refreshTokenSchema,
    sessionSchema,
    secondFactorSchema,
  ],
  settings: [authSettings, singleSignOnSettings, passwordResetsSettings],
  errorCodes: [invalidResetToken],
  healthChecks: [verificationCheck, providersCheck],
  idPrefixes: ['ses'],
  scopes: coreScopes,
  tags: [
    {
      name: 'Authentication',
      description: 'Log in and out, refresh tokens, list and end sessions, set up a second factor.',
    },
  ],
};
