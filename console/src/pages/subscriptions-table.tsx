import { api, type Schemas } from '../api/client';
import { cursorPages } from '../api/pages';
import { useFormats } from '../i18n/formats';
import { textFor, useMessages } from '../i18n/i18n';
import { isDashboard } from '../place';
import { type Column, ResourceList } from '../ui/resource-list';
import { Status } from '../ui/status';
import { useOldestFirst } from '../ui/list-order';
import { useColumns } from './columns';
import { pageOf } from './links';

type Subscription = Schemas['SubscriptionResponse'];

interface SubscriptionFilter {
  readonly account_id?: string;
  readonly customer_email?: string;
  readonly reference?: string;
  readonly status?: string;
  readonly date_from?: string;
  readonly date_to?: string;
}

interface SubscriptionsTableProps {
  readonly filter: SubscriptionFilter;
  readonly hasFilters: boolean;
  /** Shows when the next payment is due in the place of the account. */
  readonly isOfAccount?: boolean;
}

/** The subscriptions by which accounts bill their customers again and again. */
export function SubscriptionsTable({
  filter,
  hasFilters,
  isOfAccount = isDashboard,
}: SubscriptionsTableProps) {
  const { nav, subscription: t, fields } = useMessages();
  const shared = useColumns();
  const { date } = useFormats();
  const oldest = useOldestFirst('sub');
  const columns: Column<Subscription>[] = [
    shared.amount,
    {
      name: 'interval',
      header: fields.interval,
      kind: 'word',
      cell: ({ interval }) => textFor(t.intervals, interval),
    },
    { ...shared.status, cell: ({ status }) => <Status value={status} texts={t.statuses} /> },
    shared.customer,
    shared.account,
    {
      name: 'next',
      header: fields.nextPayment,
      isMinor: true,
      kind: 'date',
      cell: ({ next_payment_at }) => next_payment_at && date(next_payment_at),
    },
    {
      name: 'created',
      header: fields.created,
      isMinor: true,
      sort: 'created_at',
      kind: 'date',
      cell: ({ created_at }) => date(created_at),
    },
  ];
  return (
    <ResourceList<Subscription>
      label={nav.subscriptions}
      queryKey={['subscriptions', filter, oldest]}
      load={cursorPages(
        (page, signal) =>
          api.get('/v1/subscriptions', { params: { query: { ...filter, ...page } as object }, signal }),
        oldest,
      )}
      columns={columns.filter(({ name }) => name !== (isOfAccount ? 'account' : 'next'))}
      keyOf={({ id }) => id}
      linkOf={({ id }) => pageOf(id)}
      secondOf={({ customer_email }) => customer_email}
      hasFilters={hasFilters}
    />
  );
}
