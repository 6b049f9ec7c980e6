import { CallHandler, ExecutionContext, Injectable, NestInterceptor } from '@nestjs/common';
import { FastifyRequest } from 'fastify';
import { Observable } from 'rxjs';
import { Database } from '../../../platform/database/database';
import { isOperator, Principal } from '../domain/principal';

/**
 * Charges the database connections of an operation to the caller's account, or to the caller itself when it acts for
 * many accounts or for none, so that one tenant never uses all connections.
 */
@Injectable()
export class ConnectionShareInterceptor implements NestInterceptor {
  constructor(private readonly database: Database) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const { user } = context.switchToHttp().getRequest<FastifyRequest & { user?: Principal | null }>();
    if (!user) return next.handle();
    const holder = isOperator(user) ? user.subjectId : (user.accountId ?? user.subjectId);
    return this.database.runFor(holder, () => next.handle());
  }
}
