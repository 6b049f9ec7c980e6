import { ArgumentsHost, Catch } from '@nestjs/common';
import { FastifyRequest } from 'fastify';
import { DomainError } from '../../../kernel/domain-error';
import { looksLikeId } from '../../../kernel/ids';
import { AuditTrail } from '../../../platform/audit/audit-trail';
import { Database } from '../../../platform/database/database';
import { ErrorFilter } from '../../../platform/http/error.filter';
import { readOperation } from '../../../platform/http/operation';
import { Log } from '../../../platform/telemetry/log';
import { Principal, seesAllAccounts } from '../../auth';

/** Errors of requests that ask for nothing that could be refused, and of passwords, whose failures are recorded. */
const UNAUDITED_ERRORS = [
  'invalid_request',
  'not_found',
  'account_not_found',
  'invalid_credentials',
  'rate_limited',
  'unavailable',
];

type Request = FastifyRequest<{ Params: Readonly<Record<string, string>> }> & { user?: Principal | null };

/** Records changes that admins and platform systems asked for and that were refused, and then sends the error. */
@Catch(DomainError)
export class RefusedActions extends ErrorFilter {
  constructor(
    log: Log,
    private readonly database: Database,
    private readonly audit: AuditTrail,
  ) {
    super(log);
  }

  override async catch(error: DomainError, host: ArgumentsHost): Promise<void> {
    const request = host.switchToHttp().getRequest<Request>();
    const { method, user } = request;
    if (method === 'GET' || !user || !seesAllAccounts(user) || UNAUDITED_ERRORS.includes(error.code)) {
      return super.catch(error, host);
    }
    const details = { operation: readOperation(request), error: error.code };
    const failure = await this.record(user, request.params, details).then(
      () => null,
      (reason: unknown) => reason,
    );
    return super.catch(failure ?? error, host);
  }

  private record(
    actor: Principal,
    params: Request['params'],
    details: { readonly operation: string | undefined; readonly error: string },
  ): Promise<void> {
    const objectId = Object.values(params ?? {}).find((value) => looksLikeId(value)) ?? null;
    const event = { action: 'request', objectId, outcome: 'refused', details } as const;
    return this.database.transaction(async (tx) => this.audit.record(tx, actor, event));
  }
}
