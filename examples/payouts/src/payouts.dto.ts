import {
  AccountOwnedAmountResponse,
  accountOwnedAmountResponse,
  CanceledResponse,
  CreateAccountOwnedAmountRequest,
  CursorListQuery,
  CursorListResponse,
  EnumField,
  FormatParam,
  ListFormat,
  referenceFilter,
  ResponseField,
  Timestamp,
} from 'countinghouse';
import { Payout, payoutLifecycle, PayoutStatus } from './payout';
import { PayoutTotal } from './payouts.table';

export class CreatePayoutRequest extends CreateAccountOwnedAmountRequest {}

export class SettlePayoutRequest {
  @EnumField(['paid', 'failed']) outcome: 'paid' | 'failed';
}

export class ListPayoutsQuery extends CursorListQuery('pout', 'payouts', {
  status: payoutLifecycle.states,
  reference: referenceFilter,
}) {
  @FormatParam() format?: ListFormat;
}

export class PayoutResponse extends AccountOwnedAmountResponse('pout', payoutLifecycle.states) {
  @ResponseField({ type: 'string', nullable: true, example: 'week-47' }) reference: string | null;
  @Timestamp() updated_at: string;
}

export class PayoutsResponse extends CursorListResponse(PayoutResponse) {}
export class CanceledPayoutResponse extends CanceledResponse('pout', 'payout') {}

class PayoutTotalResponse implements PayoutTotal {
  @ResponseField({ type: 'string', example: 'EUR' }) currency: string;
  @ResponseField({ type: 'string', enum: [...payoutLifecycle.states] }) status: PayoutStatus;
  @ResponseField({ type: 'integer', example: 3 }) count: number;
  @ResponseField({ type: 'integer', example: 3750, description: 'Minor units.' }) amount: number;
}

export class PayoutTotalsResponse {
  @ResponseField({ type: [PayoutTotalResponse] }) data: PayoutTotalResponse[];
}

export function payoutResponse(payout: Payout): PayoutResponse {
  const { reference, updatedAt } = payout;
  return accountOwnedAmountResponse(payout, { reference, updated_at: updatedAt.toISOString() });
}
