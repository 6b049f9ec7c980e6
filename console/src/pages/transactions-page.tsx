import { api } from '../api/client';
import { useMessages } from '../i18n/i18n';
import { ExportButton } from '../ui/export-button';
import { Filters, useFilters } from '../ui/filters';
import { Page } from '../ui/page';
import { transactionQuery, type Transaction, TransactionsTable } from './transactions-table';

const names = ['status', 'type', 'reference', 'account_id', 'date_from', 'date_to'] as const;

const exported = [
  'id',
  'account_id',
  'amount',
  'currency',
  'type',
  'status',
  'failure_reason',
  'reference',
  'source_transaction_id',
  'payment_request_id',
  'metadata',
  'created_at',
  'updated_at',
] as const satisfies readonly (keyof Transaction)[];

export function TransactionsPage() {
  const { nav, fields, list, statuses, types } = useMessages();
  const filter = useFilters(names);
  const { pending, succeeded, failed, canceled } = statuses;
  const { payment, credit, refund } = types;
  return (
    <Page
      title={nav.transactions}
      aside={
        <ExportButton
          name="transactions"
          columns={exported}
          items={() =>
            api.list('/v1/transactions', {
              params: { query: { ...transactionQuery(filter), limit: 100 } },
            })
          }
        />
      }
    >
      <Filters
        filters={[
          {
            name: 'status',
            label: fields.status,
            options: { pending, succeeded, failed, canceled },
          },
          {
            name: 'type',
            label: fields.type,
            options: { payment, credit, refund },
          },
          { name: 'reference', label: fields.reference, type: 'text' },
          { name: 'account_id', label: fields.account, type: 'text' },
          { name: 'date_from', label: list.from, type: 'date' },
          { name: 'date_to', label: list.to, type: 'date' },
        ]}
      />
      <TransactionsTable filter={filter} hasFilters={Object.keys(filter).length > 0} />
    </Page>
  );
}
