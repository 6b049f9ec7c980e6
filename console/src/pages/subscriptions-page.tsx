import { downloadList } from '../api/download';
import { useMessages } from '../i18n/i18n';
import { useMayAct } from '../session/use-may-act';
import { Actions } from '../ui/actions';
import { ExportButton } from '../ui/export-button';
import { Page } from '../ui/page';
import { AccountSubscriptions } from './account-subscriptions';
import { CreateSubscriptionDialog } from './create-dialogs';
import type { OwnAccountProps } from './own-account';

/** The subscriptions of the account of the dashboard. */
export default function SubscriptionsPage({ account: { id: accountId } }: OwnAccountProps) {
  const { dashboard, subscription } = useMessages();
  const { operate } = useMayAct();
  return (
    <Page
      title={subscription.list}
      aside={
        <div className="actions">
          <Actions
            actions={[
              {
                name: 'subscription',
                label: dashboard.subscription.create,
                ...operate,
                dialog: (close) => <CreateSubscriptionDialog accountId={accountId} onClose={close} />,
              },
            ]}
          />
          <ExportButton name="subscriptions" save={(file) => downloadList('/v1/subscriptions', {}, file)} />
        </div>
      }
    >
      <AccountSubscriptions accountId={accountId} />
    </Page>
  );
}
