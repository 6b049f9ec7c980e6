import { Link } from 'wouter';
import { type Approval, useWaitingApprovals } from '../api/approvals';
import { type Schemas } from '../api/client';
import { useFormats } from '../i18n/formats';
import { format, useMessages } from '../i18n/i18n';

type Totals = Schemas['TotalsResponse'];

interface Waiting {
  readonly name: 'transactions' | 'unapplied' | 'deliveries' | 'failing' | 'disabled' | 'approvals';
  readonly count: number;
  readonly hasMore: boolean;
  /** When the oldest one was created, or since when an endpoint is so. */
  readonly since?: string | undefined;
  readonly to: string;
}

/** What waits for somebody, each with the list in which it is found. */
export function Attention({ totals }: { readonly totals: Totals }) {
  const { overview: t } = useMessages();
  const { number, ago, time } = useFormats();
  const all = [...waitingIn(totals), waitingApprovals(useWaitingApprovals())];
  const waiting = all.filter(({ count }) => count > 0);
  return (
    <section aria-labelledby="attention" className="attention">
      <h2 id="attention">{t.attention}</h2>
      {waiting.length === 0 ? (
        <p className="soft">{t.nothingWaits}</p>
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

function waitingIn(totals: Totals): Waiting[] {
  const { pending_transactions, unapplied_payments, failed_deliveries, webhook_endpoints } = totals;
  const ofStatus = unapplied_payments.needs_attention > 0 ? 'needs_attention' : 'received';
  return [
    {
      name: 'transactions',
      count: pending_transactions.count,
      hasMore: pending_transactions.has_more,
      since: pending_transactions.oldest?.created_at,
      to: '/transactions?status=pending',
    },
    {
      name: 'unapplied',
      count: unapplied_payments.count,
      hasMore: unapplied_payments.has_more,
      since: unapplied_payments.oldest?.created_at,
      to: `/unapplied?status=${ofStatus}`,
    },
    {
      name: 'deliveries',
      count: failed_deliveries.count,
      hasMore: failed_deliveries.has_more,
      since: failed_deliveries.oldest?.created_at,
      to: '/deliveries?status=failed',
    },
    ...(['failing', 'disabled'] as const).map((name) => ({
      name,
      count: webhook_endpoints[name].count,
      hasMore: webhook_endpoints[name].has_more,
      since: webhook_endpoints[name].since,
      to: `/webhooks?status=${name}`,
    })),
  ];
}

function waitingApprovals(approvals: readonly Approval[]): Waiting {
  return {
    name: 'approvals',
    count: approvals.length,
    hasMore: approvals.length === 100,
    since: approvals.at(-1)?.created_at,
    to: '/approvals?status=pending',
  };
}
