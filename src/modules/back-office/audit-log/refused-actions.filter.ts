import { ArgumentsHost, Catch } from '@nestjs/common';
import { FastifyRequest } from 'fastify';
import { DomainError } from '../../../kernel/domain-error';
import { looksLikeId } from '../../../kernel/ids';
import { AuditTrail } from '../../../platform/audit/audit-trail';
import { ErrorFilter } from '../../../platform/http/error.filter';
import { readOperation } from '../../../platform/http/operation';
import { Log } from '../../../platform/telemetry/log';
import { Principal } from '../../auth';

type Request = FastifyRequest<{ Params: Readonly<Record<string, string>> }> & { user?: Principal | null };

/** Records changes that were refused, and then sends the error. */
@Catch(DomainError)
export class RefusedActions extends ErrorFilter {
  constructor(
    log: Log,
    private readonly audit: AuditTrail,
  ) {
    super(log);
  }

  override async catch(error: DomainError, host: ArgumentsHost): Promise<void> {
    const request = host.switchToHttp().getRequest<Request>();
    const { method, user, params } = request;
    if (method === 'GET' || !user) return super.catch(error, host);
    const objectId = Object.values(params ?? {}).find((value) => looksLikeId(value)) ?? null;
    const refused = { operation: readOperation(request), objectId };
    return super.catch(await this.audit.recordRefusal(user, refused, error), host);
  }
}
