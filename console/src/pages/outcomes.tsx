import { Link } from 'wouter';
import { type Schemas } from '../api/client';
import { useFormats } from '../i18n/formats';
import { format, useMessages } from '../i18n/i18n';

type CurrencyTotals = Schemas['CurrencyTotalsResponse'];
type Counts = Schemas['OutcomesResponse'];

interface OutcomesProps {
  readonly totals: CurrencyTotals;
  readonly days: number;
}

/** How the transactions in one currency have ended in a period, compared with the one before it, and why some failed. */
export function Outcomes({ totals, days }: OutcomesProps) {
  const { overview: t } = useMessages();
  const { currency, outcomes, previous_outcomes: previous, failure_reasons: reasons } = totals;
  const tiles = useTiles(currency);
  return (
    <>
      <h3>{format(t.outcomes, { currency })}</h3>
      <p className="soft">{days === 1 ? t.comparedToday : format(t.compared, { days })}</p>
      <dl className="outcomes">
        {tiles.map(({ name, note, valueOf, write, changeOf }) => (
          <div key={name}>
            <dt className="soft">{t[name]}</dt>
            <dd>{write(valueOf(outcomes))}</dd>
            <dd className="soft">{note(outcomes)}</dd>
            <dd className="soft">
              {[
                changeOf(valueOf(outcomes), valueOf(previous)),
                format(t.before, { value: write(valueOf(previous)) }),
              ]
                .filter(Boolean)
                .join(' · ')}
            </dd>
          </div>
        ))}
      </dl>
      {reasons.length > 0 && <Failures reasons={reasons} />}
    </>
  );
}

interface Tile {
  readonly name: 'volume' | 'count' | 'rate' | 'refunds';
  readonly note: (outcomes: Counts) => string;
  /** Null where there is nothing to compute it of. */
  readonly valueOf: (outcomes: Counts) => number | null;
  readonly write: (value: number | null) => string;
  /** Null where there is nothing to compare with. */
  readonly changeOf: (value: number | null, previous: number | null) => string | null;
}

function useTiles(currency: string): readonly Tile[] {
  const { overview: t } = useMessages();
  const { money, number, percent, signed, signedPercent } = useFormats();
  const inMoney = (amount: number | null): string => money(amount ?? 0, currency);
  const relative: Tile['changeOf'] = (value, previous) =>
    value === null || !previous ? null : signedPercent(value / previous - 1);
  return [
    {
      name: 'volume',
      note: () => t.volumeNote,
      valueOf: ({ payments, credits }) => payments.amount + credits.amount,
      write: inMoney,
      changeOf: relative,
    },
    {
      name: 'count',
      note: () => t.countNote,
      valueOf: ({ payments, credits }) => payments.succeeded + credits.succeeded,
      write: (count) => number(count ?? 0),
      changeOf: relative,
    },
    {
      name: 'rate',
      note: (outcomes) => format(t.rateNote, { failed: number(sum(outcomes, 'failed')) }),
      valueOf: successRate,
      write: (rate) => (rate === null ? '–' : percent(rate)),
      changeOf: (rate, previous) =>
        rate === null || previous === null
          ? null
          : format(t.points, { change: signed((rate - previous) * 100) }),
    },
    {
      name: 'refunds',
      note: ({ refunds }) => format(t.refundsNote, { count: number(refunds.succeeded) }),
      valueOf: ({ refunds }) => refunds.amount,
      write: inMoney,
      changeOf: relative,
    },
  ];
}

function successRate(outcomes: Counts): number | null {
  const succeeded = sum(outcomes, 'succeeded');
  const ended = succeeded + sum(outcomes, 'failed');
  return ended === 0 ? null : succeeded / ended;
}

function sum({ payments, credits, refunds }: Counts, outcome: 'succeeded' | 'failed'): number {
  return payments[outcome] + credits[outcome] + refunds[outcome];
}

function Failures({ reasons }: { readonly reasons: CurrencyTotals['failure_reasons'] }) {
  const { overview: t } = useMessages();
  const { number } = useFormats();
  return (
    <div className="failures">
      <table className="list" aria-label={t.failures}>
        <thead>
          <tr>
            <th scope="col">{t.failures}</th>
            <th scope="col" className="end">
              {t.times}
            </th>
          </tr>
        </thead>
        <tbody>
          {reasons.map(({ failure_reason, count }) => (
            <tr key={failure_reason}>
              <td>{failure_reason ?? t.noReason}</td>
              <td className="end">{number(count)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p>
        <Link href="/transactions?status=failed">{t.failedList}</Link>
      </p>
    </div>
  );
}
