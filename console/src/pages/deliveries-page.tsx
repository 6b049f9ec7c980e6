import { api } from '../api/client';
import { downloadList } from '../api/download';
import { cursorPages } from '../api/pages';
import { useMessages } from '../i18n/i18n';
import { useMayAct } from '../session/use-may-act';
import { Actions } from '../ui/actions';
import { ExportButton } from '../ui/export-button';
import { Filters } from '../ui/filters';
import { Page } from '../ui/page';
import { DeliveriesTable, useDeliveryFilters } from './deliveries';
import { RedeliverDialog } from './delivery-dialog';

/** What was and is to be delivered to the endpoints of all accounts, newest first. */
export default function DeliveriesPage() {
  const { webhooks: t, nav } = useMessages();
  const { operate } = useMayAct();
  const { filter, query, filters } = useDeliveryFilters();
  const { status, ...selection } = filter;
  const showsFailed = status === undefined || status === 'failed';
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
                  ...operate,
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
      <Filters savedAs="deliveries" filters={filters} />
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
