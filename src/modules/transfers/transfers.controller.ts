import { Body, Controller, HttpCode, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { IdempotentRequest } from '../../platform/database/database';
import { accountOwnedOperations, AlsoDryRun } from '../../platform/http/account-owned-resource';
import { Batches } from '../../platform/http/batches';
import { listOrCsv } from '../../platform/http/csv-export';
import { parseListRequest } from '../../platform/http/list-query';
import { Operation } from '../../platform/http/operation';
import { parseItem } from '../../platform/http/request.pipe';
import { canceledResponse, cursorListResponse } from '../../platform/http/response-fields';
import { AccountReader } from '../accounts';
import { Caller, IdempotencyKey, Principal } from '../auth/http';
import {
  BatchedTransferRequest,
  CanceledTransferResponse,
  CaptureTransferRequest,
  CreateTransferRequest,
  CreateTransfersRequest,
  ListTransfersQuery,
  newTransfer,
  ReverseTransferRequest,
  TransferBatchResponse,
  TransferResponse,
  transferResponse,
  TransfersResponse,
} from './transfers.dto';
import { Transfers } from './transfers.service';

const operations = accountOwnedOperations('transfer', 'trf', { scope: 'transfers' });

/** Money between accounts. The interface has none, so its errors are those of transactions. */
@ApiTags('Transfers')
@Controller('v1/transfers')
export class TransfersController {
  constructor(
    private readonly transfers: Transfers,
    private readonly accounts: AccountReader,
    private readonly batches: Batches,
  ) {}

  @operations.Create(TransferResponse, {
    errors: ['insufficient_funds', 'currency_mismatch', 'not_found'],
    description:
      'Moves money from one active account to another, or to up to 100 at once: all parts, or none. With `capture: later` the money is held, and reaches nobody until the transfer is captured.',
  })
  create(
    @Caller() caller: Principal,
    @Body() body: CreateTransferRequest,
    @IdempotencyKey() request: IdempotentRequest,
  ) {
    return this.transfers.create(caller, newTransfer(body), { render: transferResponse, ...request });
  }

  @operations.List(TransfersResponse, {
    description:
      "Newest first: the transfers of the token's account, in both directions, or for admins and platform systems those of all accounts, each once, as the account sees it that gives.",
  })
  list(@Caller() caller: Principal, @Query() query: ListTransfersQuery) {
    return listOrCsv(
      TransfersResponse,
      query,
      async (part) => {
        const { filter, page } = parseListRequest(part);
        return cursorListResponse(await this.transfers.list(caller, filter, page), transferResponse);
      },
      this.accounts,
    );
  }

  @operations.Get(TransferResponse)
  async get(@Caller() caller: Principal, @operations.Id() id: string) {
    return transferResponse(await this.transfers.get(caller, id));
  }

  @operations.Cancel(CanceledTransferResponse, {
    description: 'For the account that gives: its money is released. One that has succeeded is reversed.',
  })
  async cancel(@Caller() caller: Principal, @operations.Id() id: string) {
    return canceledResponse(await this.transfers.cancel(caller, id), 'The transfer was canceled.');
  }

  @Post(':transfer_id/capture')
  @HttpCode(200)
  @Operation({
    id: 'captureTransfer',
    scope: 'transfers:write',
    summary: 'Move the money that a pending transfer holds',
    errors: ['not_found', 'conflict'],
    description: 'For the account that gives. Sending the same capture again returns the same response.',
    response: { type: TransferResponse, description: 'The transfer, which has succeeded.' },
  })
  async capture(
    @Caller() caller: Principal,
    @operations.Id() id: string,
    @Body() { amount }: CaptureTransferRequest,
  ) {
    return transferResponse(await this.transfers.capture(caller, id, amount ?? null));
  }

  @Post(':transfer_id/reversal')
  @AlsoDryRun(TransferResponse, 'Reversal')
  @Operation({
    id: 'reverseTransfer',
    scope: 'transfers:write',
    summary: 'Send money of a transfer back',
    idempotent: true,
    errors: ['not_found', 'conflict', 'insufficient_funds'],
    description:
      'For an account that received the money, and operators: creates a transfer back, of all that is left or of a part.',
    response: { type: TransferResponse, description: 'The transfer back.' },
  })
  reverse(
    @Caller() caller: Principal,
    @operations.Id() id: string,
    @Body() body: ReverseTransferRequest,
    @IdempotencyKey() request: IdempotentRequest,
  ) {
    return this.transfers.reverse(caller, id, body, { render: transferResponse, ...request });
  }

  @Post('batch')
  @Operation({
    id: 'createTransfers',
    scope: 'transfers:write',
    summary: 'Create up to 100 transfers',
    idempotent: true,
    errors: ['insufficient_funds', 'currency_mismatch', 'not_found'],
    description:
      'As `POST /v1/transactions/batch`: an `atomic` batch creates all transfers in their order, or none; in an `independent` one each has its own status or error.',
    response: { type: TransferBatchResponse, description: 'The transfers, in the order of the request.' },
  })
  createAll(
    @Caller() caller: Principal,
    @Body() { mode, transfers: items }: CreateTransfersRequest,
    @IdempotencyKey() batch: IdempotentRequest,
  ) {
    const { transfers } = this;
    return this.batches.create(
      {
        path: '/v1/transfers',
        name: 'transfer',
        read: (item: unknown) => newTransfer(parseItem(BatchedTransferRequest, item)),
        render: transferResponse,
        response: TransferResponse,
        create: (request, operation) => transfers.create(caller, request, operation),
        createAll: (parsed, whole) => transfers.createAll(caller, parsed, whole),
        actor: caller,
        operation: 'createTransfers',
      },
      mode,
      items,
      batch,
    );
  }
}
