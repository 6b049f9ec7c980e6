import { Link } from 'wouter';
import { useFormats } from '../i18n/formats';
import { format, useMessages } from '../i18n/i18n';

export interface Waiting {
  readonly name:
    'transactions' | 'payments' | 'unapplied' | 'deliveries' | 'failing' | 'disabled' | 'approvals';
  readonly count: number;
  readonly hasMore: boolean;
  /** When the oldest one was created, or since when an endpoint is so. */
  readonly since?: string | undefined;
  readonly to: string;
}

interface WaitsProps {
  readonly title: string;
  /** That nothing waits, as soon as that is known. */
  readonly none: string | undefined;
  readonly all: readonly Waiting[];
}

/** What waits for somebody, each with the list in which it is found. */
export function Waits({ title, none, all }: WaitsProps) {
  const { overview: t } = useMessages();
  const { number, ago, time } = useFormats();
  const waiting = all.filter(({ count }) => count > 0);
  return (
    <section aria-labelledby="attention" className="attention">
      <h2 id="attention">{title}</h2>
      {waiting.length === 0 ? (
        <p className="soft">{none ?? <>&nbsp;</>}</p>
      ) : (
        <ul>
          {waiting.map(({ name, count, hasMore, since, to }) => (
            <li key={name} className={name}>
              <Link href={to}>
                <strong>
                  {number(count)}
                  {hasMore && '+'}
                </strong>
                <span>{t.waiting[name]}</span>
              </Link>
              {since !== undefined && (
                <time className="soft" dateTime={since} title={time(since)}>
                  {format(t.oldest, { ago: ago(since) })}
                </time>
              )}
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
