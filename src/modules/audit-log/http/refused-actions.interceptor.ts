import { CallHandler, ExecutionContext, Injectable, NestInterceptor } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { FastifyRequest } from 'fastify';
import { catchError, Observable } from 'rxjs';
import { DomainError } from '../../../kernel/domain-error';
import { AuditTrail } from '../../../platform/audit/audit-trail';
import { Database } from '../../../platform/database/database';
import { OPERATION_ID } from '../../../platform/http/operation';
import { isOperator, Principal } from '../../auth';

/** Errors of requests that ask for nothing that could be refused, and of passwords, whose failures are recorded. */
const NOT_REFUSED = [
  'invalid_request',
  'not_found',
  'account_not_found',
  'invalid_credentials',
  'rate_limited',
  'unavailable',
];

/** The form of all ids. Other text of a path is not stored. */
const ID = /^[a-z]{2,8}_[0-9a-z]{26}$/;

type Request = FastifyRequest<{ Params: Readonly<Record<string, string>> }> & { user?: Principal | null };

/** Records changes that admins and platform systems asked for and that were refused. */
@Injectable()
export class RefusedActions implements NestInterceptor {
  constructor(
    private readonly reflector: Reflector,
    private readonly database: Database,
    private readonly audit: AuditTrail,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const { method, user, params } = context.switchToHttp().getRequest<Request>();
    if (method === 'GET' || !user || !isOperator(user)) return next.handle();
    const operation = this.reflector.get<string | undefined>(OPERATION_ID, context.getHandler());
    return next.handle().pipe(
      catchError(async (error: unknown) => {
        if (error instanceof DomainError && !NOT_REFUSED.includes(error.code))
          await this.record(user, params, { operation, error: error.code });
        throw error;
      }),
    );
  }

  private record(
    actor: Principal,
    params: Request['params'],
    details: { readonly operation: string | undefined; readonly error: string },
  ): Promise<void> {
    const objectId = Object.values(params ?? {}).find((value) => ID.test(value)) ?? null;
    const event = { action: 'request', objectId, outcome: 'refused', details } as const;
    return this.database.transaction(async (tx) => this.audit.record(tx, actor, event));
  }
}
