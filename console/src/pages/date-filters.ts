import { type Messages } from '../i18n/messages/en';
import { type Filter } from '../ui/filters';

/** The months from a time to another one, newest first, such as `2026-10`; in UTC, as statements are. */
export function monthsBetween(since: string, until: Date): string[] {
  const months: string[] = [];
  for (let ago = 0; ; ago += 1) {
    const start = new Date(Date.UTC(until.getUTCFullYear(), until.getUTCMonth() - ago));
    const month = start.toISOString().slice(0, 7);
    if (month < since.slice(0, 7)) return months;
    months.push(month);
  }
}

/** A period of days, such as `2026-10-01`; without a bound it has no beginning or no end. */
export interface Period {
  readonly date_from?: string;
  readonly date_to?: string;
}

export function periodOf(month: string): Period {
  const [year, number] = month.split('-').map(Number) as [number, number];
  const last = new Date(Date.UTC(year, number, 0)).getUTCDate();
  return { date_from: `${month}-01`, date_to: `${month}-${last}` };
}

/** The day before another one; undefined for what is no day. */
export function dayBefore(day: string): string | undefined {
  const time = Date.parse(`${day}T00:00:00Z`) - 1;
  return Number.isNaN(time) ? undefined : new Date(time).toISOString().slice(0, 10);
}

/** The filters by date: the first day, and the last one, beside which is said that it is before the first. */
export function dateFilters<Name extends string>(
  { list }: Pick<Messages, 'list'>,
  filter: Partial<Record<Name, string>>,
  [first, last]: readonly [Name, Name],
): Filter[] {
  const [from = '', to = ''] = [filter[first], filter[last]];
  const problem = to !== '' && from > to ? list.datesReversed : undefined;
  return [
    { name: first, label: list.from, type: 'date' },
    { name: last, label: list.to, type: 'date', problem },
  ];
}
