import { api, type Schemas } from '../api/client';
import { cursorPages } from '../api/pages';
import { useFormats } from '../i18n/formats';
import { useMessages } from '../i18n/i18n';
import { IdLink, IdText } from '../ui/id-link';
import { type Column, ResourceList } from '../ui/resource-list';
import { Status } from '../ui/status';
import { pageOf } from './links';

type Webhook = Schemas['WebhookResponse'];

interface WebhooksTableProps {
  readonly filter: { readonly account_id?: string };
  /** Leaves out what is the same in all rows of one account. */
  readonly isOfAccount?: boolean;
}

/** Where events are delivered to. */
export function WebhooksTable({ filter, isOfAccount = false }: WebhooksTableProps) {
  const { webhooks: t, nav, fields } = useMessages();
  const { time } = useFormats();
  const columns: Column<Webhook>[] = [
    { name: 'url', header: t.url, width: 'wide', wraps: true, cell: ({ url }) => url },
    { name: 'status', header: fields.status, cell: ({ status }) => <Status value={status} /> },
    {
      name: 'failing',
      header: t.failing,
      isMinor: true,
      width: 'time',
      cell: ({ failing_since }) => failing_since && time(failing_since),
    },
    {
      name: 'types',
      header: t.eventTypes,
      isMinor: true,
      cell: ({ event_types }) => event_types?.join(', ') ?? t.allTypes,
    },
    {
      name: 'account',
      header: fields.account,
      isMinor: true,
      cell: ({ account_id }) => <IdLink id={account_id} />,
    },
  ];
  return (
    <ResourceList<Webhook>
      label={nav.webhooks}
      queryKey={['webhooks', filter]}
      load={cursorPages((page, signal) =>
        api.get('/v1/webhooks', { params: { query: { ...filter, ...page } }, signal }),
      )}
      columns={columns.filter(({ name }) => !(isOfAccount && name === 'account'))}
      keyOf={({ id }) => id}
      linkOf={({ id }) => pageOf(id)}
      {...(!isOfAccount && { secondOf: ({ account_id }: Webhook) => <IdText id={account_id} /> })}
      hasFilters={!isOfAccount && filter.account_id !== undefined}
    />
  );
}
