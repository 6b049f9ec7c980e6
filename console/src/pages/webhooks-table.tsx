import { api, type Schemas } from '../api/client';
import { cursorPages } from '../api/pages';
import { useFormats } from '../i18n/formats';
import { useMessages } from '../i18n/i18n';
import { isDashboard } from '../place';
import { IdText } from '../ui/id-link';
import { type Column, ResourceList } from '../ui/resource-list';
import { useColumns } from './columns';
import { pageOf } from './links';

type Webhook = Schemas['WebhookResponse'];

interface WebhooksTableProps {
  readonly filter: { readonly account_id?: string; readonly status?: string };
  readonly hasFilters: boolean;
  /** Leaves out what is the same in all rows of one account. */
  readonly isOfAccount?: boolean;
}

/** Where events are delivered to. */
export function WebhooksTable({ filter, hasFilters, isOfAccount = isDashboard }: WebhooksTableProps) {
  const { webhooks: t, nav } = useMessages();
  const shared = useColumns();
  const { time } = useFormats();
  const columns: Column<Webhook>[] = [
    { name: 'url', header: t.url, kind: 'text', cell: ({ url }) => url },
    shared.status,
    {
      name: 'failing',
      header: t.failing,
      isMinor: true,
      kind: 'time',
      cell: ({ failing_since }) => failing_since && time(failing_since),
    },
    {
      name: 'types',
      header: t.eventTypes,
      isMinor: true,
      cell: ({ event_types }) => event_types?.join(', ') ?? t.allTypes,
    },
    shared.account,
  ];
  return (
    <ResourceList<Webhook>
      label={nav.webhooks}
      queryKey={['webhooks', filter]}
      load={cursorPages((page, signal) =>
        api.get('/v1/webhooks', {
          params: { query: { ...(filter as { status?: Schemas['WebhookState'] }), ...page } },
          signal,
        }),
      )}
      columns={columns.filter(({ name }) => !(isOfAccount && name === 'account'))}
      keyOf={({ id }) => id}
      linkOf={({ id }) => pageOf(id)}
      {...(!isOfAccount && { secondOf: ({ account_id }: Webhook) => <IdText id={account_id} /> })}
      hasFilters={hasFilters}
    />
  );
}
