import { useQuery } from '@tanstack/react-query';
import { Link, useSearchParams } from 'wouter';
import { api, REFRESH_MS, type Schemas } from '../api/client';
import { useFormats } from '../i18n/formats';
import { format, useMessages } from '../i18n/i18n';
import { Attention } from './attention';
import { Outcomes } from './outcomes';
import { Page } from '../ui/page';
import { Failure, Loading } from '../ui/states';
import { type DayVolume, VolumeChart } from '../ui/volume-chart';

type Totals = Schemas['TotalsResponse'];

const DAY_MS = 86_400_000;
const periods = [1, 7, 30, 90, 365] as const;

/** Sums of many days change little, and take longer to read. */
const LONG_DAYS = 90;
const LONG_REFRESH_MS = 8 * REFRESH_MS;

/** What all accounts hold, what has moved, and what waits for somebody. */
export function OverviewPage() {
  const { overview: t } = useMessages();
  const [params] = useSearchParams();
  const days = periods.find((period) => String(period) === params.get('days')) ?? 30;
  const query = useQuery({
    queryKey: ['totals', days],
    queryFn: ({ signal }) =>
      api.get('/v1/totals', { params: { query: { from: dayBefore(today(), days - 1) } }, signal }),
    refetchInterval: days > LONG_DAYS ? LONG_REFRESH_MS : REFRESH_MS,
    placeholderData: (previous) => previous,
  });
  return (
    <Page title={t.title}>
      {query.data ? (
        <Shown totals={query.data} days={days} />
      ) : query.isError ? (
        <Failure error={query.error} retry={() => void query.refetch()} />
      ) : (
        <Loading />
      )}
    </Page>
  );
}

function Shown({ totals, days }: { readonly totals: Totals; readonly days: number }) {
  const { overview: t } = useMessages();
  const { time } = useFormats();
  const [params] = useSearchParams();
  const { currencies } = totals;
  const shown = currencies.find(({ currency }) => currency === params.get('currency')) ?? largest(currencies);
  return (
    <>
      <Attention totals={totals} />
      <section aria-labelledby="balances">
        <h2 id="balances">{t.balances}</h2>
        {shown === undefined ? (
          <p className="note soft">{t.noMoney}</p>
        ) : (
          <>
            <Balances totals={totals} shown={shown.currency} days={days} />
            <Periods currency={shown.currency} days={days} />
            <Outcomes totals={shown} days={days} />
            {days > 1 && <Volume totals={totals} currency={shown} />}
          </>
        )}
      </section>
      <p className="soft as-of">{format(t.asOf, { time: time(totals.as_of) })}</p>
    </>
  );
}

/** The currency with the most postings, which is shown first. */
function largest(currencies: Totals['currencies']): Totals['currencies'][number] | undefined {
  const postings = (days: Totals['currencies'][number]['days']): number =>
    days.reduce((sum, { entry_count }) => sum + entry_count, 0);
  return currencies.toSorted((a, b) => postings(b.days) - postings(a.days))[0];
}

/** What is held in each currency, with what is pending. A currency chooses the chart. */
function Balances({
  totals,
  shown,
  days,
}: {
  readonly totals: Totals;
  readonly shown: string;
  readonly days: number;
}) {
  const { overview: t } = useMessages();
  const { money } = useFormats();
  const { currencies, pending_transactions } = totals;
  return (
    <ul className="balances">
      {currencies.map(({ currency, posted }) => {
        const pending = pending_transactions.amounts.find((amount) => amount.currency === currency);
        const more = pending_transactions.has_more ? '+' : '';
        const expected =
          pending?.total_in && format(t.expected, { amount: money(pending.total_in, currency) + more });
        const goingOut =
          pending?.total_out && format(t.goingOut, { amount: money(pending.total_out, currency) + more });
        return (
          <li key={currency}>
            <Link
              href={`/?${new URLSearchParams({ currency, days: String(days) }).toString()}`}
              replace
              aria-current={currency === shown ? 'true' : undefined}
            >
              <span className="soft">{currency}</span>
              <strong>{money(posted, currency)}</strong>
              <span className="soft">{[expected, goingOut].filter(Boolean).join(', ')}</span>
            </Link>
          </li>
        );
      })}
    </ul>
  );
}

function Periods({ currency, days }: { readonly currency: string; readonly days: number }) {
  const { overview: t } = useMessages();
  return (
    <nav className="periods" aria-label={t.period}>
      {periods.map((period) => (
        <Link
          key={period}
          href={`/?${new URLSearchParams({ currency, days: String(period) }).toString()}`}
          replace
          aria-current={period === days ? 'true' : undefined}
        >
          {period === 1 ? t.today : format(t.days, { days: period })}
        </Link>
      ))}
    </nav>
  );
}

interface VolumeProps {
  readonly totals: Totals;
  readonly currency: Totals['currencies'][number];
}

function Volume({ totals, currency: { currency, days: moved } }: VolumeProps) {
  const { overview: t } = useMessages();
  return (
    <>
      <h3>{format(t.volumeOf, { currency })}</h3>
      {moved.length === 0 ? (
        <p className="note soft">{t.noVolume}</p>
      ) : (
        <VolumeChart currency={currency} days={everyDay(totals.from, totals.to, moved)} />
      )}
    </>
  );
}

/** The days of a period, also those without postings, which the API leaves out. */
function everyDay(from: string, to: string, moved: readonly DayVolume[]): DayVolume[] {
  const byDate = new Map(moved.map((volume) => [volume.date, volume]));
  const count = (Date.parse(to) - Date.parse(from)) / DAY_MS + 1;
  return Array.from({ length: count }, (_, index) => {
    const date = dayBefore(to, count - 1 - index);
    return byDate.get(date) ?? { date, total_in: 0, total_out: 0, total_moved: 0 };
  });
}

function today(): string {
  return new Date().toISOString().slice(0, 10);
}

function dayBefore(day: string, days: number): string {
  return new Date(Date.parse(day) - days * DAY_MS).toISOString().slice(0, 10);
}
