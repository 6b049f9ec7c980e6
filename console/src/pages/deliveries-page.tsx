import { api, type Schemas } from '../api/client';
import { downloadList } from '../api/download';
import { cursorPages } from '../api/pages';
import { useMessages } from '../i18n/i18n';
import { nameOf } from '../i18n/name-of';
import { useMayAct } from '../session/use-session';
import { Actions } from '../ui/actions';
import { ExportButton } from '../ui/export-button';
import { Filters, useFilters } from '../ui/filters';
import { Page } from '../ui/page';
import { DeliveriesTable, useDeliveryFilters } from './deliveries';
import { RedeliverDialog } from './delivery-dialog';
import { eventTypes } from './event-types';

const names = ['status', 'event_type', 'date_from', 'date_to'] as const;

/** What was and is to be delivered to the endpoints of all accounts, newest first. */
export default function DeliveriesPage() {
  const { webhooks: t, nav, fields, names: texts } = useMessages();
  const { deliver } = useMayAct();
  const filter = useFilters(names);
  const { status, ...selection } = filter;
  const types = new Set<string>([...eventTypes, ...(filter.event_type ? [filter.event_type] : [])]);
  const query = filter as { status?: Schemas['WebhookDeliveryStatus'] };
  const showsFailed = status === undefined || status === 'failed';
  const [ofStatus, ...ofDates] = useDeliveryFilters(filter);
  return (
    <Page
      title={nav.deliveries}
      aside={
        <div className="actions">
          <ExportButton
            name="deliveries"
            save={(file) => downloadList('/v1/webhook-deliveries', query, file)}
          />
          {showsFailed && (
            <Actions
              actions={[
                {
                  name: 'redeliver',
                  label: t.redeliverFailed,
                  ...deliver,
                  dialog: (close) => (
                    <RedeliverDialog about={nav.deliveries} filter={selection} onClose={close} />
                  ),
                },
              ]}
            />
          )}
        </div>
      }
    >
      <p className="soft intro">{t.keptDeliveries}</p>
      <Filters
        filters={[
          ofStatus!,
          {
            name: 'event_type',
            label: fields.type,
            options: Object.fromEntries([...types].map((type) => [type, nameOf(texts, type)])),
          },
          ...ofDates,
        ]}
      />
      <DeliveriesTable
        queryKey={['deliveries', filter]}
        load={cursorPages((page, signal) =>
          api.get('/v1/webhook-deliveries', { params: { query: { ...query, ...page } }, signal }),
        )}
        hasFilters={Object.keys(filter).length > 0}
      />
    </Page>
  );
}
