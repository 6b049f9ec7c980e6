import { Body, Controller, Delete, Get, Patch, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Answer } from '../../../platform/database/idempotency';
import { filterOf } from '../../../platform/http/cursor-list';
import { PathId } from '../../../platform/http/fields';
import { Operation } from '../../../platform/http/operation';
import { cursorOf } from '../../../platform/http/query-fields';
import { Caller, IdempotencyKey, Principal, Repeatable } from '../../auth';
import { Transactions } from '../application/transactions.service';
import {
  canceledTransactionAnswer,
  CanceledTransactionAnswer,
  createdTransactionAnswer,
  CreatedTransactionAnswer,
  CreateTransactionRequest,
  ListTransactionsQuery,
  SettleTransactionRequest,
  transactionAnswer,
  TransactionAnswer,
  transactionsAnswer,
  TransactionsAnswer,
  UpdateTransactionRequest,
} from './transactions.dto';

/** Interface 4.4. */
@ApiTags('Transactions')
@Controller('v1/transactions')
export class TransactionsController {
  constructor(private readonly transactions: Transactions) {}

  @Post()
  @Operation({
    id: 'createTransaction',
    summary: 'Record a payment, a credit or a refund',
    access: 'required',
    idempotent: true,
    refusals: ['insufficient_funds', 'currency_mismatch', 'not_found', 'forbidden'],
    description:
      'The processor decides what becomes of it. In the sandbox a payment settles after a delay, a credit and a refund at once; `metadata.sandbox_outcome` scripts another end. A pending refund holds its amount.',
    answers: { status: 201, type: CreatedTransactionAnswer, description: 'The new transaction.' },
  })
  create(
    @Caller() caller: Principal,
    @Body() body: CreateTransactionRequest,
    @IdempotencyKey() request: Repeatable,
  ): Promise<Answer> {
    return this.transactions.create(caller, body, { ...request, render: createdTransactionAnswer });
  }

  @Get()
  @Operation({
    id: 'listTransactions',
    summary: 'List transactions',
    access: 'required',
    refusals: [],
    description:
      "Newest first: those of the token's account, or of all accounts for admins and platform systems.",
    answers: { status: 200, type: TransactionsAnswer, description: 'One page.' },
  })
  async list(
    @Caller() caller: Principal,
    @Query() query: ListTransactionsQuery,
  ): Promise<TransactionsAnswer> {
    const { status, type } = query;
    const filter = { ...filterOf(query), status, type };
    return transactionsAnswer(await this.transactions.list(caller, filter, cursorOf(query)));
  }

  @Get(':transaction_id')
  @Operation({
    id: 'getTransaction',
    summary: 'Retrieve a transaction',
    access: 'required',
    refusals: ['not_found'],
    answers: { status: 200, type: TransactionAnswer, description: 'The transaction.' },
  })
  async get(
    @Caller() caller: Principal,
    @PathId('transaction_id', 'txn', 'The id of the transaction.') id: string,
  ): Promise<TransactionAnswer> {
    return transactionAnswer(await this.transactions.get(caller, id));
  }

  @Patch(':transaction_id')
  @Operation({
    id: 'updateTransaction',
    summary: 'Annotate a transaction',
    access: 'required',
    refusals: ['not_found', 'conflict'],
    description:
      'Keys of `metadata` are merged; a null removes one, `metadata: null` all. Amount, currency and type never change.',
    answers: { status: 200, type: TransactionAnswer, description: 'The transaction as it is now.' },
  })
  async update(
    @Caller() caller: Principal,
    @PathId('transaction_id', 'txn', 'The id of the transaction.') id: string,
    @Body() body: UpdateTransactionRequest,
  ): Promise<TransactionAnswer> {
    return transactionAnswer(await this.transactions.update(caller, id, body));
  }

  @Delete(':transaction_id')
  @Operation({
    id: 'cancelTransaction',
    summary: 'Cancel a pending transaction',
    access: 'required',
    refusals: ['not_found', 'not_cancellable'],
    description: 'It stays on record. What has settled is refunded instead.',
    answers: { status: 200, type: CanceledTransactionAnswer, description: 'It was canceled.' },
  })
  async cancel(
    @Caller() caller: Principal,
    @PathId('transaction_id', 'txn', 'The id of the transaction.') id: string,
  ): Promise<CanceledTransactionAnswer> {
    return canceledTransactionAnswer(await this.transactions.cancel(caller, id));
  }

  @Post(':transaction_id/settlement')
  @Operation({
    id: 'settleTransaction',
    summary: 'Report the outcome of a pending transaction',
    access: 'required',
    refusals: ['forbidden', 'not_found', 'conflict'],
    description: 'For admins and platform systems. The same outcome again is answered like the first time.',
    answers: { status: 200, type: TransactionAnswer, description: 'The transaction as it is now.' },
  })
  async settle(
    @Caller() caller: Principal,
    @PathId('transaction_id', 'txn', 'The id of the transaction.') id: string,
    @Body() { outcome, failure_reason }: SettleTransactionRequest,
  ): Promise<TransactionAnswer> {
    return transactionAnswer(await this.transactions.settle(caller, id, outcome, failure_reason ?? null));
  }
}
