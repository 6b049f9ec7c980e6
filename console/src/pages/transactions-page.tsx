import { downloadList } from '../api/download';
import { useI18n } from '../i18n/i18n';
import { ExportButton } from '../ui/export-button';
import { Filters, useFilters } from '../ui/filters';
import { useListOrder } from '../ui/list-order';
import { Page } from '../ui/page';
import { amountFilters, amountNames } from './amount-filters';
import { dateFilters } from './date-filters';
import { transactionQuery, TransactionsTable } from './transactions-table';

const names = ['status', 'type', 'reference', 'account_id', 'date_from', 'date_to', ...amountNames] as const;

export function TransactionsPage() {
  const { locale, t } = useI18n();
  const { nav, fields, list, statuses, types } = t;
  const filter = useFilters(names);
  const order = useListOrder();
  const { pending, succeeded, failed, canceled } = statuses;
  const { payment, credit, refund } = types;
  return (
    <Page
      title={nav.transactions}
      aside={
        <ExportButton
          name="transactions"
          save={(file) =>
            downloadList('/v1/transactions', { ...transactionQuery(filter, locale), ...order }, file)
          }
        />
      }
    >
      <Filters
        savedAs="transactions"
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
          { name: 'account_id', label: fields.account, type: 'account' },
          ...amountFilters(t, filter, locale),
          ...dateFilters({ list }, filter, ['date_from', 'date_to']),
        ]}
      />
      <TransactionsTable filter={filter} hasFilters={Object.keys(filter).length > 0} />
    </Page>
  );
}
