import { useState } from 'react';
import { api, type Schemas } from '../api/client';
import { downloadList } from '../api/download';
import { cursorPages } from '../api/pages';
import { useFormats } from '../i18n/formats';
import { textFor, useMessages } from '../i18n/i18n';
import { nameOf } from '../i18n/name-of';
import { ExportButton } from '../ui/export-button';
import { Filters, useFilters } from '../ui/filters';
import { ResourceList } from '../ui/resource-list';
import { RowAction } from '../ui/row-action';
import { useDurationOf } from './attempt';
import { dateFilters } from './date-filters';
import { DeliveryDialog } from './delivery-dialog';
import { useColumns } from './columns';
import { pageOf } from './links';

type Delivery = Schemas['WebhookDeliveryResponse'];

const names = ['status', 'date_from', 'date_to'] as const;

/** What was and is to be delivered to an endpoint, newest first. Each delivery opens its event. */
export function Deliveries({ webhook }: { readonly webhook: Schemas['WebhookResponse'] }) {
  const { webhooks: t, fields, list, statuses, names: texts } = useMessages();
  const shared = useColumns();
  const { number } = useFormats();
  const durationOf = useDurationOf();
  const filter = useFilters(names);
  const [opened, setOpened] = useState<Delivery | null>(null);
  const { pending, succeeded, failed } = statuses;
  const path = { webhook_id: webhook.id };
  const query = filter as { status?: Schemas['WebhookDeliveryStatus'] };
  return (
    <section aria-labelledby="deliveries">
      <div className="heading">
        <h2 id="deliveries">{t.deliveries}</h2>
        <ExportButton
          name={`deliveries-${webhook.id}`}
          save={(file) => downloadList(`/v1/webhooks/${webhook.id}/deliveries`, query, file)}
        />
      </div>
      <Filters
        filters={[
          { name: 'status', label: fields.status, options: { pending, succeeded, failed } },
          ...dateFilters({ list }, filter, ['date_from', 'date_to']),
        ]}
      />
      <ResourceList<Delivery>
        label={t.deliveries}
        queryKey={['deliveries', webhook.id, filter]}
        load={cursorPages((page, signal) =>
          api.get('/v1/webhooks/{webhook_id}/deliveries', {
            params: { path, query: { ...query, ...page } },
            signal,
          }),
        )}
        keyOf={({ id }) => id}
        linkOf={({ event_id }) => pageOf(event_id)}
        hasFilters={Object.keys(filter).length > 0}
        columns={[
          {
            name: 'event',
            header: t.event,
            kind: 'name',
            wraps: true,
            cell: ({ event_type }) => nameOf(texts, event_type),
          },
          shared.status,
          {
            name: 'response',
            header: t.response,
            cell: ({ response_status, error, response_body }) => (
              <>
                <span>{response_status ?? (error && textFor(t.errors, error))}</span>
                <span className="code minor">{response_body}</span>
              </>
            ),
          },
          {
            name: 'duration',
            header: t.duration,
            kind: 'number',
            isMinor: true,
            cell: durationOf,
          },
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
        ]}
      />
      {opened && <DeliveryDialog webhook={webhook} delivery={opened} onClose={() => setOpened(null)} />}
    </section>
  );
}
