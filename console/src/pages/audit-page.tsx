import { downloadList } from '../api/download';
import { useMessages } from '../i18n/i18n';
import { ExportButton } from '../ui/export-button';
import { Filters, useFilters } from '../ui/filters';
import { Page } from '../ui/page';
import { AuditTable } from './audit-table';
import { dateFilters } from './date-filters';

const names = ['action', 'outcome', 'actor_id', 'object_id', 'date_from', 'date_to'] as const;

export default function AuditPage() {
  const { audit, fields, list, statuses } = useMessages();
  const filter = useFilters(names);
  const { succeeded, failed, refused } = statuses;
  return (
    <Page
      title={audit.title}
      aside={<ExportButton name="audit-log" save={(file) => downloadList('/v1/audit-log', filter, file)} />}
    >
      <Filters
        filters={[
          { name: 'action', label: fields.action, type: 'text' },
          {
            name: 'outcome',
            label: fields.outcome,
            options: { succeeded, failed, refused },
          },
          { name: 'actor_id', label: fields.actor, type: 'text' },
          { name: 'object_id', label: fields.object, type: 'text' },
          ...dateFilters({ list }, filter, ['date_from', 'date_to']),
        ]}
      />
      <AuditTable filter={filter} hasFilters={Object.keys(filter).length > 0} />
    </Page>
  );
}
