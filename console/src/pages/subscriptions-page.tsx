import { downloadList } from '../api/download';
import { useMessages } from '../i18n/i18n';
import { useMayAct } from '../session/use-may-act';
import { useOwnAccountId } from '../session/use-session';
import { Actions } from '../ui/actions';
import { ExportButton } from '../ui/export-button';
import { Filters, useFilters } from '../ui/filters';
import { Page } from '../ui/page';
import { CreateSubscriptionDialog } from './create-dialogs';
import { dateFilters } from './date-filters';
import { SubscriptionsTable } from './subscriptions-table';

const names = ['status', 'customer_email', 'reference', 'account_id', 'date_from', 'date_to'] as const;

export default function SubscriptionsPage() {
  const { nav, fields, list, dashboard, subscription } = useMessages();
  const filter = useFilters(names);
  const { operate } = useMayAct();
  const own = useOwnAccountId();
  return (
    <Page
      title={nav.subscriptions}
      aside={
        <div className="actions">
          {own !== null && (
            <Actions
              actions={[
                {
                  name: 'subscription',
                  label: dashboard.subscription.create,
                  ...operate,
                  dialog: (close) => <CreateSubscriptionDialog accountId={own} onClose={close} />,
                },
              ]}
            />
          )}
          <ExportButton
            name="subscriptions"
            save={(file) => downloadList('/v1/subscriptions', filter, file)}
          />
        </div>
      }
    >
      <Filters
        savedAs="subscriptions"
        filters={[
          { name: 'status', label: fields.status, options: subscription.statuses },
          { name: 'customer_email', label: fields.customer, type: 'text' },
          { name: 'reference', label: fields.reference, type: 'text' },
          { name: 'account_id', label: fields.account, type: 'account' },
          ...dateFilters({ list }, filter, ['date_from', 'date_to']),
        ]}
      />
      <SubscriptionsTable filter={filter} hasFilters={Object.keys(filter).length > 0} />
    </Page>
  );
}
