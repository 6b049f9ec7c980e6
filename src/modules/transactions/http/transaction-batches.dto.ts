import { ApiExtraModels, ApiProperty, getSchemaPath, OmitType } from '@nestjs/swagger';
import { DomainError } from '../../../kernel/domain-error';
import { IdempotentRequest, StoredResponse } from '../../../platform/database/database';
import { BalanceAfterwards } from '../../../platform/http/account-owned-resource';
import { ErrorResponse } from '../../../platform/http/error.filter';
import { DryRunField, EnumField, field, idempotencyKeyRule } from '../../../platform/http/request-fields';
import { parseItem } from '../../../platform/http/request.pipe';
import { nameEnum, ResponseField } from '../../../platform/http/response-fields';
import { CreatedTransactionResponse, CreateTransactionRequest } from './transactions.dto';

const MAX_ITEMS = 100;

const batchModes = ['atomic', 'independent'] as const;
type BatchMode = (typeof batchModes)[number];
nameEnum('BatchMode', batchModes);

/** One of several transactions. */
class BatchedTransactionRequest extends OmitType(CreateTransactionRequest, ['dry_run']) {
  @field(idempotencyKeyRule, {
    optional: true,
    description: 'As the header `Idempotency-Key` of a single creation, which it shares its keys with.',
  })
  idempotency_key?: string;
}

@ApiExtraModels(BatchedTransactionRequest)
export class CreateTransactionsRequest {
  @EnumField(batchModes, {
    optional: true,
    description:
      '`atomic` (the default): all are created in their order, or none. `independent`: each as if it were sent alone, at the same time as the others.',
  })
  mode: BatchMode = 'atomic';

  @field(
    {
      expected: `a list of 1 to ${MAX_ITEMS} transactions`,
      isValid: (value) => Array.isArray(value) && value.length > 0 && value.length <= MAX_ITEMS,
      schema: {
        type: 'array',
        items: { $ref: getSchemaPath(BatchedTransactionRequest) },
        minItems: 1,
        maxItems: MAX_ITEMS,
      },
    },
    {},
  )
  transactions: unknown[];

  @DryRunField() dry_run?: boolean;
}

/** A transaction of a batch, or the error for which it is not created. */
class BatchedTransactionResponse {
  @ResponseField({
    type: 'integer',
    format: 'int32',
    minimum: 200,
    maximum: 503,
    example: 201,
    description: 'The status that the response to a single creation would have.',
  })
  status: number;

  @ApiProperty({ type: CreatedTransactionResponse, required: false, description: 'Where it is created.' })
  transaction?: CreatedTransactionResponse;

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

export class TransactionBatchResponse {
  @ResponseField({ enum: ['list'] }) object: 'list';
  @ApiProperty({ type: [BatchedTransactionResponse], description: 'In the order of the request.' })
  data: BatchedTransactionResponse[];
}

type DryRun = CreatedTransactionResponse & { dry_run?: true; balance?: BalanceAfterwards };

/** An item of a batch: the transaction, and the request that would create it alone. */
export interface BatchItem {
  readonly request: BatchedTransactionRequest;
  readonly idempotent: IdempotentRequest;
}

/**
 * Reads one item. Its key is that of a single creation with the same members; without a key, it has one made of the key
 * of the batch, which no client can send.
 * @throws DomainError `invalid_request`
 */
export function parseBatchItem(item: unknown, index: number, batch: IdempotentRequest): BatchItem {
  const request = parseItem(BatchedTransactionRequest, item);
  const { idempotency_key: ownKey = null, ...alone } = item as BatchedTransactionRequest;
  const key = ownKey ?? (batch.key === null ? null : `${batch.key}\n${index}`);
  const { principal, dryRun } = batch;
  const fingerprinted = `POST /v1/transactions\n${JSON.stringify(alone)}`;
  return { request, idempotent: { principal, dryRun, key: dryRun ? null : key, request: fingerprinted } };
}

/** @throws DomainError `invalid_request` for a key of two items */
export function assertKeysDiffer(items: readonly BatchItem[]): void {
  const keys = items.map(({ idempotent }) => idempotent.key).filter((key) => key !== null);
  const repeated = keys.find((key, index) => keys.indexOf(key) < index);
  if (repeated !== undefined)
    throw new DomainError('invalid_request', 'Two transactions have the same idempotency_key.');
}

export function batchedTransactionResponse(
  result: StoredResponse | ErrorResponse,
): BatchedTransactionResponse {
  if (!(result instanceof StoredResponse)) return { status: result.status, ...result.body };
  const { status, body, replayed } = result;
  const { dry_run: _, balance, ...transaction } = JSON.parse(body) as DryRun;
  return { status, transaction, ...(replayed && { replayed }), ...(balance && { balance }) };
}
