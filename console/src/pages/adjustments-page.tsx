import { downloadList } from '../api/download';
import { useMessages } from '../i18n/i18n';
import { ExportButton } from '../ui/export-button';
import { Filters, useFilters } from '../ui/filters';
import { Page } from '../ui/page';
import { AdjustmentsTable } from './adjustments-table';
import { dateFilters } from './date-filters';

const names = ['status', 'reference', 'account_id', 'date_from', 'date_to'] as const;

export default function AdjustmentsPage() {
  const { nav, fields, list, statuses } = useMessages();
  const filter = useFilters(names);
  const { pending, posted, rejected, expired } = statuses;
  return (
    <Page
      title={nav.adjustments}
      aside={
        <ExportButton name="adjustments" save={(file) => downloadList('/v1/adjustments', filter, file)} />
      }
    >
      <Filters
        savedAs="adjustments"
        filters={[
          { name: 'status', label: fields.status, options: { pending, posted, rejected, expired } },
          { name: 'reference', label: fields.reference, type: 'text' },
          { name: 'account_id', label: fields.account, type: 'account' },
          ...dateFilters({ list }, filter, ['date_from', 'date_to']),
        ]}
      />
      <AdjustmentsTable filter={filter} hasFilters={Object.keys(filter).length > 0} />
    </Page>
  );
}
