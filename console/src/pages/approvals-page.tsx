import { type Approval } from '../api/approvals';
import { api, type Schemas } from '../api/client';
import { downloadList } from '../api/download';
import { cursorPages } from '../api/pages';
import { textFor, useMessages } from '../i18n/i18n';
import { ExportButton } from '../ui/export-button';
import { Filters, useFilters } from '../ui/filters';
import { IdText } from '../ui/id-link';
import { Page } from '../ui/page';
import { ResourceList } from '../ui/resource-list';
import { useOldestFirst } from '../ui/list-order';
import { personOf, useAmountOf } from './approval-effect';
import { useColumns } from './columns';
import { dateFilters } from './date-filters';
import { pageOf } from './links';

const names = ['status', 'type', 'account_id', 'date_from', 'date_to'] as const;

/** What admins have asked for, and what became of it. */
export default function ApprovalsPage() {
  const { approvals: t, nav, fields, list, statuses } = useMessages();
  const shared = useColumns();
  const oldest = useOldestFirst('apr');
  const amountOf = useAmountOf();
  const filter = useFilters(names);
  const { pending, approved, rejected, expired } = statuses;
  const query = filter as { status?: Schemas['ApprovalStatus']; type?: Schemas['ApprovalType'] };
  const objectOf = (approval: Approval) => (
    <>
      {amountOf(approval) ?? personOf(approval).email}{' '}
      {approval.account_id !== null && <IdText id={approval.account_id} />}
    </>
  );
  return (
    <Page
      title={nav.approvals}
      aside={<ExportButton name="approvals" save={(file) => downloadList('/v1/approvals', filter, file)} />}
    >
      <Filters
        savedAs="approvals"
        filters={[
          { name: 'status', label: fields.status, options: { pending, approved, rejected, expired } },
          { name: 'type', label: fields.type, options: t.types },
          { name: 'account_id', label: fields.account, type: 'account' },
          ...dateFilters({ list }, filter, ['date_from', 'date_to']),
        ]}
      />
      <ResourceList<Approval>
        label={nav.approvals}
        queryKey={['approvals', 'list', filter, oldest]}
        load={cursorPages(
          (page, signal) => api.get('/v1/approvals', { params: { query: { ...query, ...page } }, signal }),
          oldest,
        )}
        keyOf={({ id }) => id}
        linkOf={({ id }) => pageOf(id)}
        secondOf={objectOf}
        hasFilters={Object.keys(filter).length > 0}
        columns={[
          { name: 'type', header: fields.type, cell: ({ type }) => textFor(t.types, type) },
          shared.status,
          {
            name: 'object',
            header: fields.object,
            isMinor: true,
            cell: objectOf,
          },
          shared.reason,
          { ...shared.created, sort: 'created_at' },
        ]}
      />
    </Page>
  );
}
