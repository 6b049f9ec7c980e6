import { Body, Controller, Query, StreamableFile } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { IdempotentRequest, StoredResponse } from '../../../platform/database/database';
import { accountOwnedOperations } from '../../../platform/http/account-owned-resource';
import { listOrCsv } from '../../../platform/http/csv-export';
import { parseListRequest } from '../../../platform/http/list-query';
import { IdParam } from '../../../platform/http/operation';
import { cursorListResponse } from '../../../platform/http/response-fields';
import { AccountReader } from '../../accounts';
import { Principal } from '../../auth';
import { Caller, IdempotencyKey } from '../../auth/http';
import { Adjustments } from './adjustments.service';
import {
  AdjustmentResponse,
  adjustmentResponse,
  AdjustmentsResponse,
  CreateAdjustmentRequest,
  ListAdjustmentsQuery,
} from './adjustments.dto';

/** Admins create; API keys never do. */
const creations = accountOwnedOperations('adjustment', 'adj');
const reads = accountOwnedOperations('adjustment', 'adj', { scope: 'transactions' });

@ApiTags('Adjustments')
@Controller('v1/accounts/:account_id/adjustments')
export class AccountAdjustmentsController {
  constructor(private readonly adjustments: Adjustments) {}

  @creations.Create(AdjustmentResponse, {
    dryRun: false,
    summary: "Adjust an account's balance",
    errors: ['not_found', 'currency_mismatch', 'insufficient_funds'],
    description:
      'For admins. Posts a correction to the journal; above the limit of the operator, it is `pending` until a second admin approves it. The balance never falls below zero (`insufficient_funds`). A closed account only takes debits (`forbidden`).',
  })
  create(
    @Caller() caller: Principal,
    @IdParam('account_id', 'acc', 'The id of the account.') accountId: string,
    @Body() { reference = null, ...terms }: CreateAdjustmentRequest,
    @IdempotencyKey() request: IdempotentRequest,
  ): Promise<StoredResponse> {
    const operation = { ...request, render: adjustmentResponse };
    return this.adjustments.create(caller, accountId, { ...terms, reference }, operation);
  }
}

@ApiTags('Adjustments')
@Controller('v1/adjustments')
export class AdjustmentsController {
  constructor(
    private readonly adjustments: Adjustments,
    private readonly accounts: AccountReader,
  ) {}

  @reads.List(AdjustmentsResponse, {
    errors: ['forbidden'],
    description: 'For the back office and platform systems. Newest first.',
  })
  list(
    @Caller() caller: Principal,
    @Query() query: ListAdjustmentsQuery,
  ): Promise<AdjustmentsResponse | StreamableFile> {
    return listOrCsv(
      AdjustmentsResponse,
      query,
      async (part) => {
        const { filter, page } = parseListRequest(part);
        return cursorListResponse(await this.adjustments.list(caller, filter, page), adjustmentResponse);
      },
      this.accounts,
    );
  }

  @reads.Get(AdjustmentResponse, {
    errors: ['forbidden'],
    description: 'For the back office and platform systems.',
  })
  async get(@Caller() caller: Principal, @reads.Id() id: string): Promise<AdjustmentResponse> {
    return adjustmentResponse(await this.adjustments.get(caller, id));
  }
}
