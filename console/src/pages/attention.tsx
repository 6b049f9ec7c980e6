import { type Approval, useWaitingApprovals } from '../api/approvals';
import { type Schemas } from '../api/client';
import { useMessages } from '../i18n/i18n';
import { type Waiting, Waits } from '../ui/waits';

type Totals = Schemas['TotalsResponse'];

/** What waits for somebody, each with the list in which it is found. */
export function Attention({ totals }: { readonly totals: Totals }) {
  const { overview: t } = useMessages();
  const approvals = useWaitingApprovals();
  const all = [...waitingIn(totals), waitingApprovals(approvals ?? [])];
  return <Waits title={t.attention} none={approvals && t.nothingWaits} all={all} />;
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
