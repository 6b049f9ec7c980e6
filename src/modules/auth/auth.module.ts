import { Module, OnApplicationBootstrap, OnModuleInit } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { JwtModule, JwtService } from '@nestjs/jwt';
import { PassportModule } from '@nestjs/passport';
import { DataSource } from 'typeorm';
import { Clock } from '../../kernel/clock';
import { CONFIG, Config } from '../../platform/config/config';
import { Database } from '../../platform/database/database';
import { Sweeps } from '../../platform/jobs/sweeps';
import { AccessTokens } from './application/access-tokens';
import { AuthService } from './application/auth.service';
import { Credentials } from './application/credentials.service';
import { FailedLogins } from './domain/failed-logins';
import { PostgresFailedLogins } from './infrastructure/postgres-failed-logins';
import { PasswordHasher } from './application/password-hasher';
import { Sessions } from './application/sessions.service';
import { CredentialsRepository } from './domain/credentials.repository';
import { SessionsRepository } from './domain/sessions.repository';
import { SignInSubjects } from './domain/sign-in-subjects';
import { AuthController } from './http/auth.controller';
import { AuthGuard } from './http/auth.guard';
import { JwtStrategy } from './http/jwt.strategy';
import { TypeormCredentialsRepository } from './infrastructure/typeorm-credentials.repository';
import { TypeormSessionsRepository } from './infrastructure/typeorm-sessions.repository';

/** Who signs in, and as what: credentials, sessions, tokens. */
@Module({
  imports: [PassportModule, JwtModule.register({})],
  controllers: [AuthController],
  providers: [
    AuthService,
    Credentials,
    JwtStrategy,
    SignInSubjects,
    { provide: APP_GUARD, useClass: AuthGuard },
    { provide: CredentialsRepository, useClass: TypeormCredentialsRepository },
    { provide: SessionsRepository, useClass: TypeormSessionsRepository },
    {
      provide: Sessions,
      inject: [SessionsRepository, Database, Clock, CONFIG],
      useFactory: (repository: SessionsRepository, database: Database, clock: Clock, config: Config) =>
        new Sessions(repository, database, clock, config.refreshReuseGraceSeconds),
    },
    {
      provide: AccessTokens,
      inject: [JwtService, CONFIG],
      useFactory: (jwt: JwtService, config: Config) =>
        new AccessTokens(jwt, config.jwtSecrets, config.accessTokenSeconds),
    },
    {
      provide: FailedLogins,
      inject: [DataSource, CONFIG],
      useFactory: (dataSource: DataSource, config: Config) =>
        new PostgresFailedLogins(dataSource, config.production),
    },
    {
      provide: PasswordHasher,
      inject: [CONFIG],
      useFactory: (config: Config) => new PasswordHasher(config.bcryptCost),
    },
  ],
  exports: [Credentials, PasswordHasher, SignInSubjects],
})
export class AuthModule implements OnModuleInit, OnApplicationBootstrap {
  constructor(
    private readonly subjects: SignInSubjects,
    private readonly sessions: Sessions,
    private readonly sweeps: Sweeps,
  ) {}

  onModuleInit(): void {
    this.sweeps.join({ name: 'expired sessions', run: (now) => this.sessions.deleteExpired(now) });
  }

  onApplicationBootstrap(): void {
    this.subjects.freeze();
  }
}
