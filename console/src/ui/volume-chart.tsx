import { useFormats } from '../i18n/formats';
import { format, useMessages } from '../i18n/i18n';

/** What came in, went out and moved on one day, in minor units. */
export interface DayVolume {
  readonly date: string;
  readonly total_in: number;
  readonly total_out: number;
  /** Between accounts: neither in nor out. */
  readonly total_moved: number;
}

interface VolumeChartProps {
  readonly currency: string;
  /** Every day of a period, the first one first. */
  readonly days: readonly DayVolume[];
}

const [WIDTH, HEIGHT] = [720, 160];

/** The days of a period as bars: what came in above the line, what went out below. The same as a table beneath. */
export function VolumeChart({ currency, days }: VolumeChartProps) {
  const { overview: t, fields } = useMessages();
  const { money, day } = useFormats();
  const [first, last] = [days[0]!, days.at(-1)!];
  const sum = (of: Exclude<keyof DayVolume, 'date'>): number =>
    days.reduce((total, volume) => total + volume[of], 0);
  const above = Math.max(...days.map(({ total_in }) => total_in));
  const below = Math.max(...days.map(({ total_out }) => total_out));
  const line = (above / Math.max(1, above + below)) * HEIGHT;
  const height = (amount: number): number => (amount / Math.max(1, above + below)) * HEIGHT;
  const step = WIDTH / days.length;
  const total_moved = sum('total_moved');
  const text = format(t.volumeText, {
    in: money(sum('total_in'), currency),
    out: money(sum('total_out'), currency),
    start: day(first.date),
    end: day(last.date),
  });
  const between = total_moved > 0 ? format(t.movedText, { amount: money(total_moved, currency) }) : '';
  const moved = days.filter((volume) => volume.total_in + volume.total_out + volume.total_moved > 0);
  return (
    <figure className="chart volume">
      <figcaption>
        <span className="soft">
          {text} {between}
        </span>
        <span className="legend" aria-hidden="true">
          <span className="in">
            {t.in}, {format(t.max, { amount: money(above, currency) })}
          </span>
          <span className="out">
            {t.out}, {format(t.max, { amount: money(below, currency) })}
          </span>
        </span>
      </figcaption>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label={text}>
        {days.map(({ date, total_in, total_out }, index) => (
          <g key={date}>
            <rect className="hit" x={index * step} y={0} width={step} height={HEIGHT}>
              <title>
                {`${day(date)}\n${t.in} ${money(total_in, currency)}\n${t.out} ${money(total_out, currency)}`}
              </title>
            </rect>
            <Bar
              className="in"
              x={index * step}
              y={line - height(total_in)}
              width={step}
              height={height(total_in)}
            />
            <Bar className="out" x={index * step} y={line} width={step} height={height(total_out)} />
          </g>
        ))}
        <path className="axis" d={`M0 ${line}H${WIDTH}`} />
      </svg>
      <div className="ends soft" aria-hidden="true">
        <span>{day(first.date)}</span>
        <span>{day(last.date)}</span>
      </div>
      <details>
        <summary>{t.asTable}</summary>
        <table className="list" aria-label={format(t.volumeOf, { currency })}>
          <thead>
            <tr>
              <th scope="col">{fields.date}</th>
              <th scope="col" className="end">
                {t.in}
              </th>
              <th scope="col" className="end">
                {t.out}
              </th>
              {total_moved > 0 && (
                <th scope="col" className="end">
                  {t.moved}
                </th>
              )}
            </tr>
          </thead>
          <tbody>
            {moved.toReversed().map(({ date, total_in, total_out, ...volume }) => (
              <tr key={date}>
                <th scope="row">{day(date)}</th>
                <td className="end">{money(total_in, currency)}</td>
                <td className="end">{money(total_out, currency)}</td>
                {total_moved > 0 && <td className="end">{money(volume.total_moved, currency)}</td>}
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </figure>
  );
}

interface BarProps {
  readonly className: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** Small amounts beside large ones are still seen. */
function Bar({ className, x, y, width, height }: BarProps) {
  if (height === 0) return null;
  const gap = width * 0.15;
  const shown = Math.max(height, 1.5);
  const top = className === 'in' ? y - (shown - height) : y;
  return <rect className={className} x={x + gap} y={top} width={width - 2 * gap} height={shown} />;
}
