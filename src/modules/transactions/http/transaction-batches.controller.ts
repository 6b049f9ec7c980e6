import { Body, Controller, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { IdempotentRequest } from '../../../platform/database/database';
import {
  BatchedRequest,
  BatchedResponse,
  Batches,
  BatchRequest,
  BatchResponse,
} from '../../../platform/http/batches';
import { Operation } from '../../../platform/http/operation';
import { parseItem } from '../../../platform/http/request.pipe';
import { Caller, IdempotencyKey, Principal } from '../../auth/http';
import { Transactions } from '../application/transactions.service';
import {
  CreatedTransactionResponse,
  createdTransactionResponse,
  CreateTransactionRequest,
} from './transactions.dto';

class BatchedTransactionRequest extends BatchedRequest(CreateTransactionRequest) {}
class CreateTransactionsRequest extends BatchRequest(BatchedTransactionRequest, 'transactions') {}
class BatchedTransactionResponse extends BatchedResponse(CreatedTransactionResponse, 'transaction') {}
class TransactionBatchResponse extends BatchResponse(BatchedTransactionResponse) {}

/** Many transactions in one request. */
@ApiTags('Transactions')
@Controller('v1/transactions/batch')
export class TransactionBatchesController {
  constructor(
    private readonly transactions: Transactions,
    private readonly batches: Batches,
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
  create(
    @Caller() caller: Principal,
    @Body() { mode, transactions: items }: CreateTransactionsRequest,
    @IdempotencyKey() batch: IdempotentRequest,
  ) {
    const { transactions } = this;
    return this.batches.create(
      {
        path: '/v1/transactions',
        name: 'transaction',
        read: (item: unknown) => parseItem(BatchedTransactionRequest, item),
        render: createdTransactionResponse,
        response: CreatedTransactionResponse,
        create: (request, operation) => transactions.create(caller, request, operation),
        createAll: (parsed, whole) => transactions.createAll(caller, parsed, whole),
        requestId: caller.device.requestId,
      },
      mode,
      items,
      batch,
    );
  }
}
