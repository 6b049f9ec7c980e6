import { Injectable } from '@nestjs/common';
import { Clock, DAY_MS } from '../../kernel/clock';
import { DomainError } from '../../kernel/domain-error';
import { Backlog } from '../../platform/database/account-owned-repository';
import { assertSeesAllAccounts, Principal } from '../auth';
import { FailedDeliveries, UnhealthyEndpoints, WebhookDeliveries } from '../events';
import { CurrencyTotals, DailyTotals, Days } from '../ledger';
import { UnappliedPaymentBacklogs } from '../payment-requests';
import { CurrencyOutcomes, noOutcomes, OutcomeTotals } from '../transactions';

export const MAX_DAYS = 366;
const DEFAULT_DAYS = 30;

/** The money in one currency, and how transactions in it have ended. */
export type CurrencyFigures = CurrencyTotals & Omit<CurrencyOutcomes, 'currency'>;

export interface OperatorFigures {
  readonly asOf: Date;
  readonly days: Days;
  /** The period with which that of the days is compared; its end is exclusive. */
  readonly previous: { readonly from: Date; readonly until: Date };
  readonly currencies: readonly CurrencyFigures[];
  readonly pendingIn: Backlog;
  readonly pendingOut: Backlog;
  /** Unapplied payments that are not returned yet, by status. */
  readonly received: Backlog;
  readonly needsAttention: Backlog;
  readonly failedDeliveries: FailedDeliveries;
  readonly endpoints: UnhealthyEndpoints;
}

/** What all accounts hold, what has moved in them, and what waits for somebody. */
@Injectable()
export class OperatorTotals {
  constructor(
    private readonly dailyTotals: DailyTotals,
    private readonly outcomes: OutcomeTotals,
    private readonly unappliedPayments: UnappliedPaymentBacklogs,
    private readonly deliveries: WebhookDeliveries,
    private readonly clock: Clock,
  ) {}

  /**
   * @param period days in UTC; by default 30 days that end with `to`, which is today by default
   * @param currency of the money; null for all
   * @throws DomainError `forbidden` for callers who do not see all accounts; `invalid_request` for too many days
   */
  async read(caller: Principal, period: Partial<Days>, currency: string | null): Promise<OperatorFigures> {
    assertSeesAllAccounts(
      caller,
      'Only the back office and platform systems see the totals of the operator.',
    );
    const asOf = this.clock.now();
    const days = chooseDays(period, asOf);
    const [money, outcomes, pending, unapplied, failedDeliveries, endpoints] = await Promise.all([
      this.dailyTotals.of(days, currency),
      this.outcomes.compare(days, currency, asOf),
      this.outcomes.pending(),
      this.unappliedPayments.backlogs(),
      this.deliveries.countFailed(),
      this.deliveries.countUnhealthyEndpoints(),
    ]);
    return {
      asOf,
      days,
      previous: outcomes.previous,
      currencies: joinCurrencies(money, outcomes.currencies),
      pendingIn: pending.in,
      pendingOut: pending.out,
      ...unapplied,
      failedDeliveries,
      endpoints,
    };
  }
}

/** In alphabetical order. In some currencies no transaction has ended, and in some all have failed. */
function joinCurrencies(
  money: readonly CurrencyTotals[],
  outcomes: readonly CurrencyOutcomes[],
): CurrencyFigures[] {
  const names = [...new Set([...money, ...outcomes].map(({ currency }) => currency))].toSorted();
  const isOf = (name: string) => (one: { readonly currency: string }) => one.currency === name;
  return names.map((currency) => ({
    ...(outcomes.find(isOf(currency)) ?? noOutcomes(currency)),
    ...(money.find(isOf(currency)) ?? { currency, posted: 0n, days: [] }),
  }));
}

/** @throws DomainError `invalid_request` */
function chooseDays(period: Partial<Days>, now: Date): Days {
  const { to = toDay(now) } = period;
  const { from = dayBefore(to, DEFAULT_DAYS - 1) } = period;
  if (from <= dayBefore(to, MAX_DAYS))
    throw new DomainError('invalid_request', `From \`from\` to \`to\` are at most ${MAX_DAYS} days.`);
  return { from, to };
}

function dayBefore(day: string, count: number): string {
  return toDay(new Date(Date.parse(day) - count * DAY_MS));
}

function toDay(time: Date): string {
  return time.toISOString().slice(0, 10);
}
