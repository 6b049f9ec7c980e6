import { CanActivate, ExecutionContext, Inject, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { AuthGuard as PassportGuard } from '@nestjs/passport';
import { FastifyRequest } from 'fastify';
import { DomainError } from '../../../kernel/domain-error';
import { Database } from '../../../platform/database/database';
import { Access, ACCESS, DURING_ENROLMENT, FOR_SUPPORT, SCOPE } from '../../../platform/http/operation';
import { authSettings, AuthSettings } from '../auth.settings';
import { assertAnyScope } from '../domain/api-key-check';
import { mustEnrol, Principal, seesAllAccounts } from '../domain/principal';
import { JwtStrategy } from './jwt.strategy';

/** Enforces the access that an operation declares (see `Operation`) and sets the principal as `request.user`. */
@Injectable()
export class AuthGuard extends PassportGuard() {
  constructor(
    private readonly reflector: Reflector,
    strategy: JwtStrategy,
    @Inject(authSettings.token) private readonly settings: AuthSettings,
  ) {
    super({ defaultStrategy: strategy.name });
  }

  override canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    // An operation without a declaration requires a token.
    const access = this.reflector.get<Access | undefined>(ACCESS, context.getHandler()) ?? 'required';
    const { headers } = context.switchToHttp().getRequest<FastifyRequest>();
    if (access === 'public' || (access === 'optional' && headers.authorization === undefined)) return true;
    return this.authenticate(context);
  }

  override handleRequest<P>(error: Error | null, principal: P | false | null): P {
    if (error) throw error;
    if (principal) return principal;
    throw new DomainError(
      'unauthorized',
      'The access token is missing, invalid or expired. Log in or refresh the token.',
    );
  }

  /** It rejects after `request.user` is set, so that what is rejected is recorded as the caller's. */
  private async authenticate(context: ExecutionContext): Promise<boolean> {
    await super.canActivate(context);
    const { user, method } = context.switchToHttp().getRequest<{ user: Principal; method: string }>();
    if (user.role === 'support' && method !== 'GET') this.assertForSupport(context);
    if (user.scopes !== null) this.assertScope(user, context);
    if (!mustEnrol(user, this.settings) || this.isAllowedDuringEnrolment(context)) return true;
    throw new DomainError(
      'forbidden',
      'The back office must set up a second factor first: POST /v1/auth/otp, then POST /v1/auth/otp/confirmation.',
    );
  }

  /** @throws DomainError `forbidden` for an API key without the scope of the operation */
  private assertScope(principal: Principal, context: ExecutionContext): void {
    const sufficient = this.reflector.get<readonly string[] | undefined>(SCOPE, context.getHandler()) ?? [];
    if (sufficient.length === 0)
      throw new DomainError('forbidden', 'API keys cannot call this operation. Log in for an access token.');
    assertAnyScope(principal, sufficient);
  }

  /** @throws DomainError `forbidden` for an operation that changes something, unless it is for the role support */
  private assertForSupport(context: ExecutionContext): void {
    if (this.reflector.get<boolean | undefined>(FOR_SUPPORT, context.getHandler())) return;
    throw new DomainError(
      'forbidden',
      'The role support reads everything, and changes only notes, its saved views and its own sign-in. Ask an admin.',
    );
  }

  private isAllowedDuringEnrolment(context: ExecutionContext): boolean {
    return this.reflector.get<boolean | undefined>(DURING_ENROLMENT, context.getHandler()) ?? false;
  }
}

/**
 * Charges the database connections of an operation to the caller's account, or to the caller itself when it acts for
 * many accounts or for none, so that one tenant never uses all connections. It runs after AuthGuard.
 */
@Injectable()
export class ConnectionShareGuard implements CanActivate {
  constructor(private readonly database: Database) {}

  canActivate(context: ExecutionContext): boolean {
    const { user } = context.switchToHttp().getRequest<FastifyRequest & { user?: Principal | null }>();
    if (user)
      this.database.chargeTo(seesAllAccounts(user) ? user.subjectId : (user.accountId ?? user.subjectId));
    return true;
  }
}
