import { downloadList } from '../api/download';
import { useMessages } from '../i18n/i18n';
import { ExportButton } from '../ui/export-button';
import { Filters, useFilters } from '../ui/filters';
import { Page } from '../ui/page';
import { WebhooksTable } from './webhooks-table';

const names = ['status', 'account_id'] as const;

export default function WebhooksPage() {
  const { webhooks: t, nav, fields, statuses } = useMessages();
  const { enabled, failing, disabled } = statuses;
  const filter = useFilters(names);
  return (
    <Page
      title={nav.webhooks}
      aside={<ExportButton name="webhooks" save={(file) => downloadList('/v1/webhooks', filter, file)} />}
    >
      <p className="soft intro">{t.kept}</p>
      <Filters
        filters={[
          { name: 'status', label: fields.status, options: { enabled, failing, disabled } },
          { name: 'account_id', label: fields.account, type: 'account' },
        ]}
      />
      <WebhooksTable filter={filter} />
    </Page>
  );
}
