import { type Schemas } from '../api/client';
import { useFormats } from '../i18n/formats';
import { format, useMessages } from '../i18n/i18n';

type Entry = Schemas['EntryResponse'];

const [WIDTH, HEIGHT] = [720, 140];

/** The balance after each of the entries, as steps over time. @param entries newest first */
export function BalanceChart({ entries }: { readonly entries: readonly Entry[] }) {
  const { account } = useMessages();
  const { money, date, time } = useFormats();
  const shown = entries.toReversed();
  const [first, last] = [shown.at(0), shown.at(-1)];
  if (first === undefined || last === undefined || shown.length < 2) return null;
  const times = shown.map(({ posted_at }) => Date.parse(posted_at));
  const balances = shown.map(({ balance }) => balance);
  const [start, finish] = [times[0]!, times.at(-1)!];
  const [low, high] = [Math.min(0, ...balances), Math.max(1, ...balances)];
  const x = (at: number): number => ((at - start) / Math.max(1, finish - start)) * WIDTH;
  const y = (balance: number): number => (1 - (balance - low) / (high - low)) * HEIGHT;
  const steps = shown.slice(1).map((_, index) => `H${x(times[index + 1]!)}V${y(balances[index + 1]!)}`);
  const line = `M0 ${y(balances[0]!)}${steps.join('')}`;
  const middle = Math.round((low + high) / 2);
  const [firstDay, lastDay] = [date(first.posted_at), date(last.posted_at)];
  const end = firstDay === lastDay ? time : date;
  const text = format(firstDay === lastDay ? account.chartDayText : account.chartText, {
    first: money(first.balance, first.currency),
    start: firstDay,
    last: money(last.balance, last.currency),
    end: lastDay,
  });
  return (
    <figure className="chart">
      <figcaption>
        {account.chart} <span className="soft">{text}</span>
      </figcaption>
      <div className="plot">
        <div className="amounts soft" aria-hidden="true">
          {[high, middle, low].map((amount) => (
            <span key={amount}>{money(amount, first.currency)}</span>
          ))}
        </div>
        <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label={text}>
          <path className="grid" d={`M0 0H${WIDTH}M0 ${y(middle)}H${WIDTH}`} />
          <path className="area" d={`${line}V${y(low)}H0Z`} />
          <path className="line" d={line} />
        </svg>
        <div className="ends soft" aria-hidden="true">
          <span>{end(first.posted_at)}</span>
          <span>{end(last.posted_at)}</span>
        </div>
      </div>
    </figure>
  );
}
