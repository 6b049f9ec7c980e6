import { parseTimestamp } from '../../kernel/clock';
import { AccountOwned, Backlog } from '../../platform/database/account-owned-repository';
import { mergedBacklog } from '../../platform/database/lists/backlog';
import { CurrencyField, field } from '../../platform/http/request-fields';
import {
  countSchema,
  CurrencyResponseField,
  IdResponseField,
  ResponseField,
  Timestamp,
} from '../../platform/http/response-fields';
import { EndpointCount } from '../events';
import { OutcomeCounts, OutcomesByType } from '../transactions';
import { CurrencyFigures, MAX_DAYS, OperatorFigures } from './totals.service';

const daySchema = { type: 'string', format: 'date', example: '2026-01-31' } as const;

/** Earlier than any posting. PostgreSQL knows no year 0, to which a `from` before the year 1 would belong. */
const FIRST_DAY = '1970-01-01';

/** A day in UTC. */
const DayParam = (description: string) =>
  field(
    {
      expected: `a day such as 2026-01-31, not before ${FIRST_DAY}`,
      isValid: (value) => parseTimestamp(`${String(value)}T00:00:00Z`) !== null && String(value) >= FIRST_DAY,
      schema: daySchema,
    },
    { optional: true, description },
  );

/** A sum of amounts of many accounts, which has no largest value. */
const SumField = (description: string) =>
  ResponseField({ type: 'integer', format: 'int64', minimum: 0, example: 1250, description });

export class TotalsQuery {
  @DayParam('The first day, in UTC. By default 29 days before `to`.') from?: string;
  @DayParam(`The last day, in UTC. By default today. At most ${MAX_DAYS} days are returned.`) to?: string;
  @CurrencyField({ optional: true, description: 'Only the money in this currency.' }) currency?: string;
}

class DayTotalsResponse {
  @ResponseField({ ...daySchema, description: 'A day in UTC.' }) date: string;
  @SumField('What came in, in minor units.') total_in: number;
  @SumField('What went out, in minor units.') total_out: number;
  @SumField('What has moved between accounts, in minor units.') total_moved: number;

  @ResponseField({
    ...countSchema,
    format: 'int64',
    example: 12,
    description: 'How many postings there were.',
  })
  entry_count: number;
}

/** A number of transactions. */
const CountField = (description: string) =>
  ResponseField({ ...countSchema, format: 'int64', example: 12, description });

class OutcomeCountsResponse {
  @CountField('How many succeeded.') succeeded: number;
  @CountField('How many failed. Canceled ones are in neither.') failed: number;
  @SumField('The sum of those that succeeded, in minor units.') amount: number;
}

class OutcomesResponse {
  @ResponseField({ type: OutcomeCountsResponse }) payments: OutcomeCountsResponse;
  @ResponseField({ type: OutcomeCountsResponse }) credits: OutcomeCountsResponse;
  @ResponseField({ type: OutcomeCountsResponse }) refunds: OutcomeCountsResponse;
}

class FailureReasonResponse {
  @ResponseField({
    nullable: true,
    example: 'The bank rejected the transfer.',
    description: 'Null for those without a reason, and for rare ones: of each hour, 100 are told apart.',
  })
  failure_reason: string | null;

  @CountField('How many transactions failed with it.') count: number;
}

class CurrencyTotalsResponse {
  @CurrencyResponseField() currency: string;
  @SumField('What all accounts hold, in minor units: settled money.') posted: number;

  @ResponseField({ type: [DayTotalsResponse], description: 'The days with postings, the first one first.' })
  days: DayTotalsResponse[];

  @ResponseField({ type: OutcomesResponse, description: 'The transactions that ended on these days.' })
  outcomes: OutcomesResponse;

  @ResponseField({ type: OutcomesResponse, description: 'The same of the `previous_period`.' })
  previous_outcomes: OutcomesResponse;

  @ResponseField({
    type: [FailureReasonResponse],
    description: 'Why transactions failed on these days: the five most frequent reasons.',
  })
  failure_reasons: FailureReasonResponse[];
}

class PreviousPeriodResponse {
  @Timestamp('The first moment.') from: string;
  @Timestamp('The end, which is not part of it.') until: string;
}

class WaitingObjectResponse {
  @ResponseField({ example: 'txn_01k9x8v2t4e6rb3m5n7p9q1s0w' }) id: string;
  @IdResponseField('acc') account_id: string;
  @Timestamp() created_at: string;
}

class FailedDeliveryResponse extends WaitingObjectResponse {
  @IdResponseField('whk') webhook_id: string;
}

class WaitingResponse {
  @ResponseField({
    ...countSchema,
    example: 3,
    description: 'At most 10,000 of each type and status are counted.',
  })
  count: number;

  @ResponseField({
    type: 'boolean',
    example: false,
    description: 'Whether the count has reached its limit, so that there may be more.',
  })
  has_more: boolean;
}

class PendingAmountResponse {
  @CurrencyResponseField() currency: string;
  @SumField('What is to come in, in minor units.') total_in: number;
  @SumField('What is to go out, in minor units.') total_out: number;
}

class PendingTransactionsResponse extends WaitingResponse {
  @ResponseField({ type: [PendingAmountResponse], description: 'The sums of those that are counted.' })
  amounts: PendingAmountResponse[];

  @ResponseField({ type: WaitingObjectResponse, required: false, description: 'Absent if there is none.' })
  oldest?: WaitingObjectResponse;
}

class UnappliedAmountResponse {
  @CurrencyResponseField() currency: string;
  @SumField('Minor units.') amount: number;
}

class UnappliedPaymentsTotalsResponse extends WaitingResponse {
  @ResponseField({
    ...countSchema,
    example: 1,
    description: 'How many of them have the status `needs_attention`.',
  })
  needs_attention: number;

  @ResponseField({ type: [UnappliedAmountResponse], description: 'The sums of those that are counted.' })
  amounts: UnappliedAmountResponse[];

  @ResponseField({ type: WaitingObjectResponse, required: false, description: 'Absent if there is none.' })
  oldest?: WaitingObjectResponse;
}

class FailedDeliveriesResponse extends WaitingResponse {
  @ResponseField({ type: FailedDeliveryResponse, required: false, description: 'Absent if there is none.' })
  oldest?: FailedDeliveryResponse;
}

class UnhealthyEndpointsResponse extends WaitingResponse {
  @Timestamp('Since when the first of them is so. Absent if there is none.', { required: false })
  since?: string;
}

class WebhookEndpointsTotalsResponse {
  @ResponseField({ type: UnhealthyEndpointsResponse, description: 'Enabled ones whose every attempt fails.' })
  failing: UnhealthyEndpointsResponse;

  @ResponseField({ type: UnhealthyEndpointsResponse, description: 'Disabled ones of open accounts.' })
  disabled: UnhealthyEndpointsResponse;
}

export class TotalsResponse {
  @Timestamp('When the totals were read.') as_of: string;
  @ResponseField({ ...daySchema, description: 'The first day.' }) from: string;
  @ResponseField({ ...daySchema, description: 'The last day.' }) to: string;

  @ResponseField({
    type: PreviousPeriodResponse,
    description:
      'As many days, before `from`. While the last day is not over, it ends at the end of the same hour.',
  })
  previous_period: PreviousPeriodResponse;

  @ResponseField({
    type: [CurrencyTotalsResponse],
    description: 'The currencies that any account has money in, or had, or in which transactions ended.',
  })
  currencies: CurrencyTotalsResponse[];

  @ResponseField({ type: PendingTransactionsResponse }) pending_transactions: PendingTransactionsResponse;

  @ResponseField({ type: UnappliedPaymentsTotalsResponse, description: 'Those that are not returned yet.' })
  unapplied_payments: UnappliedPaymentsTotalsResponse;

  @ResponseField({
    type: FailedDeliveriesResponse,
    description: 'Deliveries of webhooks of the last 30 days.',
  })
  failed_deliveries: FailedDeliveriesResponse;

  @ResponseField({
    type: WebhookEndpointsTotalsResponse,
    description: 'Webhook endpoints to which nothing is delivered.',
  })
  webhook_endpoints: WebhookEndpointsTotalsResponse;
}

export function totalsResponse(figures: OperatorFigures): TotalsResponse {
  const { asOf, days, previous, currencies, pendingIn, pendingOut, failedDeliveries } = figures;
  const { oldest } = failedDeliveries;
  const { failing, disabled } = figures.endpoints;
  return {
    as_of: asOf.toISOString(),
    from: days.from,
    to: days.to,
    previous_period: { from: previous.from.toISOString(), until: previous.until.toISOString() },
    currencies: currencies.map(currencyResponse),
    pending_transactions: pendingResponse(pendingIn, pendingOut),
    unapplied_payments: unappliedResponse(figures),
    failed_deliveries: {
      ...waitingResponse(failedDeliveries),
      ...(oldest && { oldest: { ...objectResponse(oldest), webhook_id: oldest.endpointId } }),
    },
    webhook_endpoints: { failing: endpointsResponse(failing), disabled: endpointsResponse(disabled) },
  };
}

function currencyResponse(figures: CurrencyFigures): CurrencyTotalsResponse {
  const { currency, posted, days, current, previous, failures } = figures;
  return {
    currency,
    posted: Number(posted),
    days: days.map(({ day, totalIn, totalOut, totalMoved, entryCount }) => ({
      date: day,
      total_in: Number(totalIn - totalMoved),
      total_out: Number(totalOut - totalMoved),
      total_moved: Number(totalMoved),
      entry_count: entryCount,
    })),
    outcomes: outcomesResponse(current),
    previous_outcomes: outcomesResponse(previous),
    failure_reasons: failures.map(({ reason, count }) => ({ failure_reason: reason, count })),
  };
}

function outcomesResponse({ payment, credit, refund }: OutcomesByType): OutcomesResponse {
  const counts = ({ amount, ...count }: OutcomeCounts): OutcomeCountsResponse => ({
    ...count,
    amount: Number(amount),
  });
  return { payments: counts(payment), credits: counts(credit), refunds: counts(refund) };
}

function pendingResponse(incoming: Backlog, outgoing: Backlog): PendingTransactionsResponse {
  const { amounts, oldest, ...both } = mergedBacklog([incoming, outgoing]);
  return {
    ...waitingResponse(both),
    amounts: [...amounts.keys()].map((currency) => ({
      currency,
      total_in: Number(incoming.amounts.get(currency) ?? 0n),
      total_out: Number(outgoing.amounts.get(currency) ?? 0n),
    })),
    ...(oldest && { oldest: objectResponse(oldest) }),
  };
}

function unappliedResponse({ received, needsAttention }: OperatorFigures): UnappliedPaymentsTotalsResponse {
  const { amounts, oldest, ...both } = mergedBacklog([received, needsAttention]);
  return {
    ...waitingResponse(both),
    needs_attention: needsAttention.count,
    amounts: [...amounts].map(([currency, amount]) => ({ currency, amount: Number(amount) })),
    ...(oldest && { oldest: objectResponse(oldest) }),
  };
}

function waitingResponse({ count, isCut }: Pick<Backlog, 'count' | 'isCut'>): WaitingResponse {
  return { count, has_more: isCut };
}

function endpointsResponse({ since, ...count }: EndpointCount): UnhealthyEndpointsResponse {
  return { ...waitingResponse(count), ...(since && { since: since.toISOString() }) };
}

function objectResponse({ id, accountId, createdAt }: AccountOwned): WaitingObjectResponse {
  return { id, account_id: accountId, created_at: createdAt.toISOString() };
}
