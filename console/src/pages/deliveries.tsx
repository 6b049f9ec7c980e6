import { useState } from 'react';
import { api, type Schemas } from '../api/client';
import { downloadList } from '../api/download';
import { cursorPages } from '../api/pages';
import { useFormats } from '../i18n/formats';
import { textFor, useMessages } from '../i18n/i18n';
import { nameOf } from '../i18n/name-of';
import { ExportButton } from '../ui/export-button';
import { type Filter, Filters, useFilters } from '../ui/filters';
import { IdLink, IdText } from '../ui/id-link';
import { type Column, type LoadPage, ResourceList } from '../ui/resource-list';
import { RowAction } from '../ui/row-action';
import { useDurationOf } from './attempt';
import { dateFilters } from './date-filters';
import { DeliveryDialog } from './delivery-dialog';
import { useColumns } from './columns';
import { pageOf } from './links';

type Delivery = Schemas['WebhookDeliveryResponse'];
const names = ['status', 'date_from', 'date_to'] as const;

/** What was and is to be delivered to an endpoint, newest first. */
export function DeliveriesOfEndpoint({ id }: { readonly id: string }) {
  const { webhooks: t } = useMessages();
  const { filter, query, filters } = useDeliveryFilters();
  return (
    <section aria-labelledby="deliveries">
      <div className="heading">
        <h2 id="deliveries">{t.deliveries}</h2>
        <ExportButton
          name={`deliveries-${id}`}
          save={(file) => downloadList(`/v1/webhooks/${id}/deliveries`, query, file)}
        />
      </div>
      <Filters filters={filters} />
      <DeliveriesTable
        queryKey={['deliveries', id, filter]}
        load={cursorPages((page, signal) =>
          api.get('/v1/webhooks/{webhook_id}/deliveries', {
            params: { path: { webhook_id: id }, query: { ...query, ...page } },
            signal,
          }),
        )}
        hasFilters={Object.keys(filter).length > 0}
        isOfEndpoint
      />
    </section>
  );
}

/** The filters of every list of deliveries, and what is chosen. */
export function useDeliveryFilters() {
  const { fields, list, statuses } = useMessages();
  const filter = useFilters(names);
  const query = filter as { status?: Schemas['WebhookDeliveryStatus'] };
  const { pending, succeeded, failed } = statuses;
  const filters: Filter[] = [
    { name: 'status', label: fields.status, options: { pending, succeeded, failed } },
    ...dateFilters({ list }, filter, ['date_from', 'date_to']),
  ];
  return { filter, query, filters };
}

interface DeliveriesTableProps {
  readonly queryKey: readonly unknown[];
  readonly load: LoadPage<Delivery>;
  readonly hasFilters: boolean;
  /** Leaves out what is the same in all rows of one endpoint. */
  readonly isOfEndpoint?: boolean;
}

/** Deliveries, each of which opens its event. */
export function DeliveriesTable({ isOfEndpoint = false, ...shown }: DeliveriesTableProps) {
  const { webhooks: t, nav, names: texts } = useMessages();
  const shared = useColumns();
  const { number } = useFormats();
  const durationOf = useDurationOf();
  const [opened, setOpened] = useState<Delivery | null>(null);
  const columns: Column<Delivery>[] = [
    {
      name: 'event',
      header: t.event,
      kind: 'name',
      wraps: true,
      cell: ({ event_type }) => nameOf(texts, event_type),
    },
    shared.status,
    shared.account,
    {
      name: 'endpoint',
      header: nav.webhooks,
      isMinor: true,
      cell: ({ webhook_id }) => <IdLink id={webhook_id} />,
    },
    {
      name: 'response',
      header: t.response,
      isMinor: !isOfEndpoint,
      cell: ({ response_status, error, response_body }) => (
        <>
          <span>{response_status ?? (error && textFor(t.errors, error))}</span>
          <span className="code minor">{response_body}</span>
        </>
      ),
    },
    { name: 'duration', header: t.duration, kind: 'number', isMinor: true, cell: durationOf },
    {
      name: 'attempts',
      header: t.attempts,
      kind: 'number',
      isMinor: true,
      cell: ({ attempts }) => number(attempts),
    },
    { ...shared.created, isMinor: true },
    {
      name: 'details',
      header: t.details,
      kind: 'action',
      cell: (delivery) => (
        <RowAction
          label={t.open}
          of={nameOf(texts, delivery.event_type)}
          isAllowed
          onPress={() => setOpened(delivery)}
        />
      ),
    },
  ];
  const left = isOfEndpoint ? ['account', 'endpoint'] : ['duration', 'attempts'];
  return (
    <>
      <ResourceList<Delivery>
        {...shown}
        label={t.deliveries}
        keyOf={({ id }) => id}
        linkOf={({ event_id }) => pageOf(event_id)}
        {...(!isOfEndpoint && { secondOf: ({ account_id }: Delivery) => <IdText id={account_id} /> })}
        columns={columns.filter(({ name }) => !left.includes(name))}
      />
      {opened && <DeliveryDialog delivery={opened} onClose={() => setOpened(null)} />}
    </>
  );
}
