import { Body, Controller, Query, StreamableFile } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { IdempotentRequest, StoredResponse } from '../../../platform/database/database';
import {
  accountOwnedAmountResponse,
  AccountOwnedAmountResponse,
  accountOwnedOperations,
} from '../../../platform/http/account-owned-resource';
import { listOrCsv } from '../../../platform/http/csv-export';
import {
  CursorListQuery,
  FormatParam,
  ListFormat,
  parseListRequest,
  referenceFilter,
} from '../../../platform/http/list-query';
import { IdParam } from '../../../platform/http/operation';
import {
  AmountField,
  CurrencyField,
  EnumField,
  ReferenceField,
  StringField,
} from '../../../platform/http/request-fields';
import {
  cursorListResponse,
  CursorListResponse,
  IdResponseField,
  nameEnum,
  ResponseField,
  Timestamp,
} from '../../../platform/http/response-fields';
import { AccountReader } from '../../accounts';
import { Caller, IdempotencyKey, Principal } from '../../auth/http';
import { Adjustment, AdjustmentDirection, adjustmentDirections, adjustmentLifecycle } from './adjustment';
import { Adjustments } from './adjustments.service';

nameEnum('AdjustmentDirection', adjustmentDirections);
nameEnum('AdjustmentStatus', adjustmentLifecycle.states);

const REASON = 'A fee was charged twice on 3 November.';

class CreateAdjustmentRequest {
  @AmountField() amount: number;
  @CurrencyField() currency: string;

  @EnumField(adjustmentDirections, {
    description: '`credit` adds the amount to the balance, `debit` takes it from the balance.',
  })
  direction: AdjustmentDirection;

  @StringField(1, 500, REASON, { visible: true, description: 'Why. Shown in the audit log.' }) reason: string;
  @ReferenceField() reference?: string | null;
}

class ListAdjustmentsQuery extends CursorListQuery('adj', 'adjustments', {
  status: adjustmentLifecycle.states,
  reference: referenceFilter,
}) {
  @FormatParam() format?: ListFormat;
}

export class AdjustmentResponse extends AccountOwnedAmountResponse(
  'adj',
  adjustmentLifecycle.states,
  '`pending`: a second admin has to approve it. It holds no money until then.',
) {
  @ResponseField({ enum: adjustmentDirections }) direction: AdjustmentDirection;
  @ResponseField({ example: REASON }) reason: string;
  @ResponseField({ nullable: true, example: 'invoice-2041' }) reference: string | null;
  @IdResponseField('usr', { description: 'The admin who made it.' }) created_by: string;

  @IdResponseField('apr', {
    nullable: true,
    description: 'The approval that it waits or waited for; null for one that was posted at once.',
  })
  approval_id: string | null;

  @Timestamp() updated_at: string;
}

class AdjustmentsResponse extends CursorListResponse(AdjustmentResponse) {}

export function adjustmentResponse(adjustment: Readonly<Adjustment>): AdjustmentResponse {
  const { direction, reason, reference, createdBy, approvalId, updatedAt } = adjustment;
  return accountOwnedAmountResponse(adjustment, {
    direction,
    reason,
    reference,
    created_by: createdBy,
    approval_id: approvalId,
    updated_at: updatedAt.toISOString(),
  });
}

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
