import { Body, Controller, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { DomainError } from '../../../kernel/domain-error';
import { IdempotentRequest, StoredResponse } from '../../../platform/database/database';
import { ErrorResponse, errorResponse } from '../../../platform/http/error.filter';
import { Operation } from '../../../platform/http/operation';
import { Log } from '../../../platform/telemetry/log';
import { Principal } from '../../auth';
import { Caller, IdempotencyKey } from '../../auth/http';
import { Transactions } from '../application/transactions.service';
import {
  assertKeysDiffer,
  batchedTransactionResponse,
  BatchItem,
  CreateTransactionsRequest,
  parseBatchItem,
  TransactionBatchResponse,
} from './transaction-batches.dto';
import { createdTransactionResponse } from './transactions.dto';

/** How many independent transactions of a batch wait for their account at the same time. */
const AT_A_TIME = 25;

/** Many transactions in one request. */
@ApiTags('Transactions')
@Controller('v1/transactions/batch')
export class TransactionBatchesController {
  constructor(
    private readonly transactions: Transactions,
    private readonly log: Log,
  ) {}

  @Post()
  @Operation({
    id: 'createTransactions',
    scope: ['transactions:write', 'credits:write', 'refunds:write'],
    summary: 'Create up to 100 transactions',
    idempotent: true,
    errors: ['insufficient_funds', 'currency_mismatch', 'not_found'],
    description:
      'Each is checked and recorded as if it were created alone. An `atomic` batch fails with the error of its first transaction that cannot be created, whose number, from 0, is in the message. In an `independent` one each has its own status or error. Without an `idempotency_key`, a transaction has one made of the `Idempotency-Key` of the batch.',
    response: {
      type: TransactionBatchResponse,
      description: 'The transactions, in the order of the request.',
    },
  })
  async create(
    @Caller() caller: Principal,
    @Body() batch: CreateTransactionsRequest,
    @IdempotencyKey() request: IdempotentRequest,
  ): Promise<TransactionBatchResponse> {
    const { mode, transactions } = batch;
    const results =
      mode === 'atomic'
        ? await this.createAll(caller, transactions, request)
        : await this.createEach(caller, transactions, request);
    return { object: 'list', data: results.map(batchedTransactionResponse) };
  }

  private createAll(
    caller: Principal,
    transactions: readonly unknown[],
    batch: IdempotentRequest,
  ): Promise<StoredResponse[]> {
    const items = transactions.map((item, index) => {
      try {
        return parseBatchItem(item, index, batch);
      } catch (error) {
        throw error instanceof DomainError ? error.inItem(index) : error;
      }
    });
    assertKeysDiffer(items);
    return this.transactions.createAll(caller, items.map(describe), batch);
  }

  private async createEach(
    caller: Principal,
    transactions: readonly unknown[],
    batch: IdempotentRequest,
  ): Promise<(StoredResponse | ErrorResponse)[]> {
    const createOne = async (item: unknown, index: number): Promise<StoredResponse> => {
      const { request, operation } = describe(parseBatchItem(item, index, batch));
      return this.transactions.create(caller, request, operation);
    };
    await this.transactions.bindKey(batch);
    const results: (StoredResponse | ErrorResponse)[] = [];
    while (results.length < transactions.length) {
      const first = results.length;
      const next = transactions.slice(first, first + AT_A_TIME).map((item, index) =>
        createOne(item, first + index).catch((error: unknown) => {
          const response = errorResponse(error);
          if (response.status >= 500) this.log.failure(response.body.error, error, caller.device.requestId);
          return response;
        }),
      );
      results.push(...(await Promise.all(next)));
    }
    return results;
  }
}

function describe({ request, idempotent }: BatchItem) {
  return { request, operation: { ...idempotent, render: createdTransactionResponse } };
}
