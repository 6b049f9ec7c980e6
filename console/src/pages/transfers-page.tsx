import { downloadList } from '../api/download';
import { useI18n } from '../i18n/i18n';
import { useMayAct } from '../session/use-may-act';
import { useOwnAccountId } from '../session/use-session';
import { Actions } from '../ui/actions';
import { ExportButton } from '../ui/export-button';
import { Filters, useFilters } from '../ui/filters';
import { Page } from '../ui/page';
import { amountFilters, amountNames } from './amount-filters';
import { CreateTransferDialog } from './create-dialogs';
import { dateFilters } from './date-filters';
import { transferQuery, TransfersTable } from './transfers-table';

const names = [
  'status',
  'direction',
  'reference',
  'account_id',
  'date_from',
  'date_to',
  ...amountNames,
] as const;

export default function TransfersPage() {
  const { locale, t } = useI18n();
  const { nav, fields, list, statuses, adjustments, overview } = t;
  const filter = useFilters(names);
  const { send } = useMayAct();
  const own = useOwnAccountId();
  const { pending, succeeded, canceled, expired } = statuses;
  return (
    <Page
      title={nav.transfers}
      aside={
        <div className="actions">
          {own !== null && (
            <Actions
              actions={[
                {
                  name: 'transfer',
                  label: t.dashboard.transfer.create,
                  ...send,
                  dialog: (close) => <CreateTransferDialog accountId={own} onClose={close} />,
                },
              ]}
            />
          )}
          <ExportButton
            name="transfers"
            save={(file) => downloadList('/v1/transfers', transferQuery(filter, locale), file)}
          />
        </div>
      }
    >
      <Filters
        savedAs="transfers"
        filters={[
          {
            name: 'status',
            label: fields.status,
            options: { pending, succeeded, canceled, expired },
          },
          {
            name: 'direction',
            label: adjustments.direction,
            options: { in: overview.in, out: overview.out },
          },
          { name: 'reference', label: fields.reference, type: 'text' },
          { name: 'account_id', label: fields.account, type: 'account' },
          ...amountFilters(t, filter, locale),
          ...dateFilters({ list }, filter, ['date_from', 'date_to']),
        ]}
      />
      <TransfersTable filter={filter} hasFilters={Object.keys(filter).length > 0} />
    </Page>
  );
}
