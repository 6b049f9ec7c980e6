import { useState } from 'react';
import { downloadList } from '../api/download';
import { useMessages } from '../i18n/i18n';
import { isDashboard } from '../place';
import { useMayAct } from '../session/use-may-act';
import { Actions } from '../ui/actions';
import { ExportButton } from '../ui/export-button';
import { Filters, useFilters } from '../ui/filters';
import { Page } from '../ui/page';
import { ShownOnce } from '../ui/shown-once';
import { CreateEndpointDialog } from './endpoint-dialogs';
import { WebhooksTable } from './webhooks-table';

const names = ['status', 'account_id'] as const;

export default function WebhooksPage() {
  const { webhooks: t, dashboard, nav, fields, statuses } = useMessages();
  const { enabled, failing, disabled } = statuses;
  const filter = useFilters(names);
  const { operate } = useMayAct();
  const [secret, setSecret] = useState<string | null>(null);
  return (
    <Page
      title={nav.webhooks}
      aside={
        <div className="actions">
          {isDashboard && (
            <Actions
              actions={[
                {
                  name: 'create',
                  label: dashboard.webhooks.create,
                  ...operate,
                  dialog: (close) => <CreateEndpointDialog onMade={setSecret} onClose={close} />,
                },
              ]}
            />
          )}
          <ExportButton name="webhooks" save={(file) => downloadList('/v1/webhooks', filter, file)} />
        </div>
      }
    >
      <p className="soft intro">{isDashboard ? dashboard.webhooks.text : t.kept}</p>
      {secret !== null && (
        <ShownOnce title={dashboard.webhooks.secret} text={dashboard.webhooks.secretText} value={secret} />
      )}
      <Filters
        savedAs="webhooks"
        filters={[
          { name: 'status', label: fields.status, options: { enabled, failing, disabled } },
          { name: 'account_id', label: fields.account, type: 'account' },
        ]}
      />
      <WebhooksTable filter={filter} hasFilters={Object.keys(filter).length > 0} />
    </Page>
  );
}
