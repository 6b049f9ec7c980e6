import { Injectable, type Type } from '@nestjs/common';
import { ApiExtraModels, ApiProperty, getSchemaPath, OmitType } from '@nestjs/swagger';
import { DomainError } from '../../kernel/domain-error';
import { Actor, AuditTrail } from '../audit/audit-trail';
import type { IdempotentOperation, IdempotentRequest } from '../database/database';
import { Database, StoredResponse } from '../database/database';
import { Log } from '../telemetry/log';
import { BalanceAfterwards } from './account-owned-resource';
import { type ErrorResponse, errorResponse } from './error.filter';
import { DryRunField, EnumField, field, idempotencyKeyRule } from './request-fields';
import { nameEnum, ResponseField } from './response-fields';

const MAX_ITEMS = 100;

/** How many independent items of a batch wait for their account at the same time: those of one group. */
const AT_A_TIME = 50;

const batchModes = ['atomic', 'independent'] as const;
type BatchMode = (typeof batchModes)[number];
nameEnum('BatchMode', batchModes);

/** Declares one of several creations. @param creation the request of a single one */
export function BatchedRequest<Creation extends { dry_run?: boolean }>(creation: Type<Creation>) {
  class Request extends OmitType(creation as Type<{ dry_run?: boolean }>, ['dry_run']) {
    @field(idempotencyKeyRule, {
      optional: true,
      description: 'As the header `Idempotency-Key` of a single creation, which it shares its keys with.',
    })
    idempotency_key?: string;
  }
  return Request as Type<Request & Omit<Creation, 'dry_run'>>;
}

/** Declares the request for many creations. @param items the member that has them */
export function BatchRequest<const Items extends string>(item: Type<object>, items: Items) {
  @ApiExtraModels(item)
  class Request {
    @EnumField(batchModes, {
      optional: true,
      description:
        '`atomic` (the default): all are created in their order, or none. `independent`: each as if it were sent alone, at the same time as the others.',
    })
    mode: BatchMode = 'atomic';

    @DryRunField() dry_run?: boolean;
  }
  const list = field({
    expected: `a list of 1 to ${MAX_ITEMS} ${items}`,
    isValid: (value) => Array.isArray(value) && value.length > 0 && value.length <= MAX_ITEMS,
    schema: { type: 'array', items: { $ref: getSchemaPath(item) }, minItems: 1, maxItems: MAX_ITEMS },
  });
  list(Request.prototype, items);
  return Request as Type<Request & Record<Items, unknown[]>>;
}

/** Declares what became of one creation. @param name the member that has what it created */
export function BatchedResponse<Created extends object>(created: Type<Created>, name: string) {
  class Response {
    @ResponseField({
      type: 'integer',
      format: 'int32',
      minimum: 200,
      maximum: 503,
      example: 201,
      description: 'The status that the response to a single creation would have.',
    })
    status: number;

    @ResponseField({
      type: 'boolean',
      required: false,
      example: true,
      description: 'Where an earlier request has created it.',
    })
    replayed?: true;

    @ApiProperty({
      type: BalanceAfterwards,
      required: false,
      description: 'The balance that would be after it. Only of a dry run.',
    })
    balance?: BalanceAfterwards;

    @ResponseField({ required: false, example: 'insufficient_funds', description: 'Why it is not created.' })
    error?: string;

    @ResponseField({ required: false, example: 'Required: 1250; available: 0.' })
    message?: string;
  }
  const member = ApiProperty({ type: created, required: false, description: 'Where it is created.' });
  member(Response.prototype, name);
  return Response;
}

export function BatchResponse(item: Type<object>) {
  class Response {
    @ResponseField({ enum: ['list'] }) object: 'list';
    @ApiProperty({ type: [item], description: 'In the order of the request.' }) data: object[];
  }
  return Response;
}

/** One creation of a batch: its request, and the operation that would create it alone. */
interface BatchItem<Request, Created> {
  readonly request: Request;
  readonly operation: IdempotentOperation<Created>;
}

interface BatchedCreations<Request, Created> {
  /** Of a single creation, for example `/v1/transactions`. */
  readonly path: string;
  /** What one is called, and the member of the response that has it. */
  readonly name: string;
  /** @throws DomainError `invalid_request` */
  readonly read: (item: unknown) => Request;
  readonly render: (created: Created) => object;
  /** The class of what `render` returns. */
  readonly response: Type;
  create(request: Request, operation: IdempotentOperation<Created>): Promise<StoredResponse>;
  createAll(
    items: readonly BatchItem<Request, Created>[],
    batch: IdempotentOperation<null>,
  ): Promise<StoredResponse[]>;
  /** Who sends the batch, for the log and the audit log. */
  readonly actor: Actor;
  /** The id of the operation of the batch. */
  readonly operation: string;
}

/** Creates what a batch asks for: all, or each on its own. */
@Injectable()
export class Batches {
  constructor(
    private readonly database: Database,
    private readonly log: Log,
    private readonly audit: AuditTrail,
  ) {}

  /**
   * Creates the items, and binds the key of the batch to its content, so that a repeat has the same.
   * @throws DomainError of an atomic batch, with the number of the item in its message; `invalid_request` for a key that
   * was used for another request
   */
  async create<Request, Created>(
    creations: BatchedCreations<Request, Created>,
    mode: BatchMode,
    items: readonly unknown[],
    batch: IdempotentRequest,
  ): Promise<StoredResponse> {
    // The response is made of those to the items.
    const whole = { ...batch, render: () => ({}) };
    const results =
      mode === 'atomic'
        ? await createAll(creations, items, whole)
        : await this.createEach(creations, items, whole);
    const data = results.map((result) => renderResult(creations.name, result));
    // The items have the shape of the version of their own request, so that of the batch does not change them.
    return new StoredResponse(`{"object":"list","data":[${data.join(',')}]}`, false);
  }

  private async createEach<Request, Created>(
    creations: BatchedCreations<Request, Created>,
    items: readonly unknown[],
    batch: IdempotentOperation<null>,
  ): Promise<(StoredResponse | ErrorResponse)[]> {
    const createOne = async (item: unknown, index: number): Promise<StoredResponse> => {
      const { request, operation } = parseBatchItem(creations, item, index, batch);
      return creations.create(request, operation);
    };
    if (batch.key !== null) await this.database.idempotent(batch, () => Promise.resolve(null));
    const results: (StoredResponse | ErrorResponse)[] = [];
    while (results.length < items.length) {
      const first = results.length;
      const next = items
        .slice(first, first + AT_A_TIME)
        .map((item, index) =>
          createOne(item, first + index).catch((error: unknown) => this.respondTo(error, creations)),
        );
      results.push(...(await Promise.all(next)));
    }
    return results;
  }

  /** Logs and records an error as that of a single creation. */
  private async respondTo(
    error: unknown,
    { actor, operation }: Pick<BatchedCreations<never, never>, 'actor' | 'operation'>,
  ): Promise<ErrorResponse> {
    const sent =
      error instanceof DomainError
        ? await this.audit.recordRefusal(actor, { operation, objectId: null }, error)
        : error;
    const response = errorResponse(sent);
    if (response.status >= 500) this.log.failure(response.body.error, sent, actor.device?.requestId);
    return response;
  }
}

function createAll<Request, Created>(
  creations: BatchedCreations<Request, Created>,
  items: readonly unknown[],
  batch: IdempotentOperation<null>,
): Promise<StoredResponse[]> {
  const parsed = items.map((item, index) => {
    try {
      return parseBatchItem(creations, item, index, batch);
    } catch (error) {
      throw error instanceof DomainError ? error.inItem(index) : error;
    }
  });
  assertKeysDiffer(creations.name, parsed);
  return creations.createAll(parsed, batch);
}

/**
 * Reads one item. Its key is that of a single creation with the same members; without a key, it has one made of the key
 * of the batch, which no client can send.
 * @throws DomainError `invalid_request`
 */
function parseBatchItem<Request, Created>(
  { read, path, render, response }: BatchedCreations<Request, Created>,
  item: unknown,
  index: number,
  batch: IdempotentRequest,
): BatchItem<Request, Created> {
  const request = read(item);
  const { idempotency_key: ownKey = null, ...alone } = item as { idempotency_key?: string };
  const key = ownKey ?? (batch.key === null ? null : `${batch.key}\n${index}`);
  const { principal, accountId, dryRun, version } = batch;
  const fingerprinted = key === null ? '' : `POST ${path}\n${JSON.stringify(alone)}`;
  return {
    request,
    operation: {
      principal,
      accountId,
      key: dryRun ? null : key,
      request: fingerprinted,
      dryRun,
      version,
      response,
      render,
    },
  };
}

/** @throws DomainError `invalid_request` for a key of two items */
function assertKeysDiffer(name: string, items: readonly BatchItem<unknown, never>[]): void {
  const keys = items.map(({ operation }) => operation.key).filter((key) => key !== null);
  const repeated = keys.find((key, index) => keys.indexOf(key) < index);
  if (repeated !== undefined)
    throw new DomainError('invalid_request', `Two ${name}s have the same idempotency_key.`);
}

/** @returns JSON */
function renderResult(name: string, result: StoredResponse | ErrorResponse): string {
  if (!(result instanceof StoredResponse)) return JSON.stringify({ status: result.status, ...result.body });
  const { status, body, replayed } = result;
  if (status === 201) return `{"status":201,"${name}":${body}${replayed ? ',"replayed":true' : ''}}`;
  const { dry_run: _, balance, ...created } = JSON.parse(body) as { dry_run: true; balance?: object };
  return JSON.stringify({ status, [name]: created, ...(balance && { balance }) });
}
