import { CallHandler, ExecutionContext, Injectable, NestInterceptor } from '@nestjs/common';
import { FastifyRequest } from 'fastify';
import { mergeMap, Observable } from 'rxjs';
import { isId, looksLikeId } from '../../kernel/ids';
import { Actor, AuditTrail } from '../audit/audit-trail';
import { Database } from '../database/database';

type Values = Readonly<Record<string, string | undefined>>;
type Request = FastifyRequest<{ Params: Values; Querystring: Values }> & { user?: Actor | null };

/** Who reads the data of others. Platform systems do too, but poll: their reads are not recorded. */
const BACK_OFFICE = ['admin', 'support'];

/** Parameters whose values name no person. */
const IMPERSONAL = [
  ...['period', 'status', 'type', 'role', 'reason', 'outcome', 'legs', 'view', 'amount_min', 'amount_max'],
  ...['date_from', 'date_to', 'created_after', 'created_before', 'starting_after', 'limit', 'page'],
];

/**
 * Records what the back office takes away as a file: which data, in which format, and with which filters. Values that may
 * be an email address, a name or a text that somebody wrote are left out, since no entry may have one; their parameters
 * are named. An entry at the end would miss a client that takes all but the last byte.
 */
@Injectable()
export class RecordedExport implements NestInterceptor {
  constructor(
    private readonly database: Database,
    private readonly audit: AuditTrail,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const request = context.switchToHttp().getRequest<Request>();
    const { user, query } = request;
    const { format = 'json' } = query;
    if (format === 'json' || !user || !BACK_OFFICE.includes(user.role ?? '')) return next.handle();
    return next.handle().pipe(
      mergeMap(async (response) => {
        await this.record(user, request, format);
        return response as unknown;
      }),
    );
  }

  private async record(actor: Actor, request: Request, format: string): Promise<void> {
    const { format: _, ...parameters } = { ...request.params, ...request.query };
    const names = Object.keys(parameters);
    const isShown = (name: string): boolean =>
      IMPERSONAL.includes(name) || looksLikeId(parameters[name] ?? '');
    const { account_id: account = '' } = parameters;
    const accountId = isId('acc', account) ? account : null;
    const details = {
      operation: (request.routeOptions.config as { operationId?: string }).operationId,
      format,
      filters: Object.fromEntries(names.filter(isShown).map((name) => [name, parameters[name]])),
      withheld: names.filter((name) => !isShown(name)),
    };
    const event = { action: 'export', objectId: accountId, accountId, details };
    await this.database.transaction(async (tx) => this.audit.record(tx, actor, event));
  }
}
