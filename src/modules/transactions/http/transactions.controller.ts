import { Body, Controller, Patch, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { IdempotentRequest } from '../../../platform/database/database';
import { accountOwnedOperations } from '../../../platform/http/account-owned-resource';
import { Batches } from '../../../platform/http/batches';
import { listOrCsv } from '../../../platform/http/csv-export';
import { parseListRequest } from '../../../platform/http/list-query';
import { Operation } from '../../../platform/http/operation';
import { parseItem } from '../../../platform/http/request.pipe';
import { cursorListResponse } from '../../../platform/http/response-fields';
import { AccountReader } from '../../accounts';
import { Caller, IdempotencyKey, Principal } from '../../auth/http';
import { Transactions } from '../application/transactions.service';
import {
  BatchedTransactionRequest,
  canceledTransactionResponse,
  CanceledTransactionResponse,
  CreatedTransactionResponse,
  createdTransactionResponse,
  CreateTransactionRequest,
  CreateTransactionsRequest,
  ListTransactionsQuery,
  retrievedTransactionResponse,
  RetrievedTransactionResponse,
  SettleTransactionRequest,
  TransactionBatchResponse,
  TransactionResponse,
  transactionItemMembers,
  transactionItemResponse,
  transactionResponse,
  TransactionsResponse,
  UpdateTransactionRequest,
} from './transactions.dto';

const operations = accountOwnedOperations('transaction', 'txn', {
  scope: 'transactions',
  narrowScopes: ['credits:write', 'refunds:write'],
});

/** Transactions (interface 4.4). */
@ApiTags('Transactions')
@Controller('v1/transactions')
export class TransactionsController {
  constructor(
    private readonly transactions: Transactions,
    private readonly accounts: AccountReader,
    private readonly batches: Batches,
  ) {}

  @operations.Create(CreatedTransactionResponse, {
    summary: 'Create a payment, a credit or a refund',
    errors: ['insufficient_funds', 'currency_mismatch', 'not_found'],
    description:
      'The processor decides the initial status. In the sandbox a payment settles after a delay, a credit and a refund settle at once; `metadata.sandbox_outcome` chooses another outcome. A pending refund holds its amount. What an admin creates above the limit is pending until a second admin approves it (`REQUIRE_APPROVALS`).',
  })
  create(
    @Caller() caller: Principal,
    @Body() body: CreateTransactionRequest,
    @IdempotencyKey() request: IdempotentRequest,
  ) {
    return this.transactions.create(caller, body, { render: createdTransactionResponse, ...request });
  }

  @operations.List(TransactionsResponse)
  list(@Caller() caller: Principal, @Query() query: ListTransactionsQuery) {
    return listOrCsv(
      TransactionsResponse,
      query,
      async ({ view, ...part }) => {
        const { filter, page } = parseListRequest(part);
        if (view === 'full')
          return cursorListResponse(await this.transactions.list(caller, filter, page), transactionResponse);
        const items = await this.transactions.list(caller, filter, page, transactionItemMembers);
        return cursorListResponse(items, transactionItemResponse);
      },
      this.accounts,
    );
  }

  @operations.Get(RetrievedTransactionResponse)
  async get(@Caller() caller: Principal, @operations.Id() id: string) {
    return retrievedTransactionResponse(await this.transactions.get(caller, id));
  }

  @Patch(':transaction_id')
  @Operation({
    id: 'updateTransaction',
    scope: ['transactions:write', 'credits:write', 'refunds:write'],
    summary: 'Update a transaction',
    errors: ['not_found', 'conflict'],
    description:
      'The keys of `metadata` are merged: null removes a key, and `metadata: null` removes all. Amount, currency and type never change: sending one of them is `conflict`, whatever other members say, unless the body cannot be read as it was sent (a number beyond 2^53 - 1, a member that occurs twice), which is `invalid_request`.',
    response: { type: TransactionResponse, description: 'The updated transaction.' },
  })
  async update(
    @Caller() caller: Principal,
    @operations.Id() id: string,
    @Body() body: UpdateTransactionRequest,
  ) {
    return transactionResponse(await this.transactions.update(caller, id, body));
  }

  @operations.Cancel(CanceledTransactionResponse, {
    description: 'The transaction stays on record. A settled transaction is refunded instead.',
  })
  async cancel(@Caller() caller: Principal, @operations.Id() id: string) {
    return canceledTransactionResponse(await this.transactions.cancel(caller, id));
  }

  @operations.Settle(TransactionResponse, {
    description:
      'For admins and platform systems. Reporting the same outcome again returns the same response. An admin who reports above the limit that money has come in gets `conflict` where a second admin has to approve it: see `POST /v1/approvals`.',
  })
  async settle(
    @Caller() caller: Principal,
    @operations.Id() id: string,
    @Body() { outcome, failure_reason }: SettleTransactionRequest,
  ) {
    return transactionResponse(await this.transactions.settle(caller, id, outcome, failure_reason ?? null));
  }

  @Post('batch')
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
  createAll(
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
        actor: caller,
        operation: 'createTransactions',
      },
      mode,
      items,
      batch,
    );
  }
}
