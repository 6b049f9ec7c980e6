import { CanActivate, ExecutionContext, Injectable } from '@nestjs/common';
import { FastifyRequest } from 'fastify';
import { Database } from '../../../platform/database/database';
import { Principal, seesAllAccounts } from '../domain/principal';

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
