import {
  AccountOwnedAmountResponse,
  accountOwnedAmountResponse,
} from '../../../platform/http/account-owned-resource';
import { CursorListQuery, FormatParam, ListFormat, referenceFilter } from '../../../platform/http/list-query';
import {
  AmountField,
  CurrencyField,
  EnumField,
  ReferenceField,
  StringField,
} from '../../../platform/http/request-fields';
import {
  CursorListResponse,
  IdResponseField,
  nameEnum,
  ResponseField,
  Timestamp,
} from '../../../platform/http/response-fields';
import { Adjustment, AdjustmentDirection, adjustmentDirections } from './adjustment';
import { adjustmentLifecycle } from './adjustment.lifecycle';

nameEnum('AdjustmentDirection', adjustmentDirections);
nameEnum('AdjustmentStatus', adjustmentLifecycle.states);

const REASON = 'A fee was charged twice on 3 November.';

export class CreateAdjustmentRequest {
  @AmountField() amount: number;
  @CurrencyField() currency: string;

  @EnumField(adjustmentDirections, {
    description: '`credit` adds the amount to the balance, `debit` takes it from the balance.',
  })
  direction: AdjustmentDirection;

  @StringField(1, 500, REASON, { visible: true, description: 'Why. Shown in the audit log.' }) reason: string;
  @ReferenceField() reference?: string | null;
}

export class ListAdjustmentsQuery extends CursorListQuery('adj', 'adjustments', {
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

export class AdjustmentsResponse extends CursorListResponse(AdjustmentResponse) {}

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
