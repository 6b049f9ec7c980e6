import { Body, Controller, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { IdempotentRequest } from '../../platform/database/database';
import {
  BatchedRequest,
  BatchedResponse,
  Batches,
  BatchRequest,
  BatchResponse,
} from '../../platform/http/batches';
import { Operation } from '../../platform/http/operation';
import { parseItem } from '../../platform/http/request.pipe';
import { Caller, IdempotencyKey, Principal } from '../auth/http';
import { CreateTransferRequest, newTransfer, TransferResponse, transferResponse } from './transfers.dto';
import { Transfers } from './transfers.service';

class BatchedTransferRequest extends BatchedRequest(CreateTransferRequest) {}
class CreateTransfersRequest extends BatchRequest(BatchedTransferRequest, 'transfers') {}
class BatchedTransferResponse extends BatchedResponse(TransferResponse, 'transfer') {}
class TransferBatchResponse extends BatchResponse(BatchedTransferResponse) {}

/** Many transfers in one request. */
@ApiTags('Transfers')
@Controller('v1/transfers/batch')
export class TransferBatchesController {
  constructor(
    private readonly transfers: Transfers,
    private readonly batches: Batches,
  ) {}

  @Post()
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
  create(
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
        requestId: caller.device.requestId,
      },
      mode,
      items,
      batch,
    );
  }
}
