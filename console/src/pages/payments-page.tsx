import { downloadList } from '../api/download';
import { useI18n } from '../i18n/i18n';
import { useMayAct } from '../session/use-may-act';
import { useOwnAccountId } from '../session/use-session';
import { Actions } from '../ui/actions';
import { ExportButton } from '../ui/export-button';
import { Filters, useFilters } from '../ui/filters';
import { useListOrder } from '../ui/list-order';
import { Page } from '../ui/page';
import { amountFilters, amountNames } from './amount-filters';
import { CreatePaymentDialog } from './create-dialogs';
import { dateFilters } from './date-filters';
import { paymentQuery, PaymentsTable } from './payments-table';

const names = [
  'status',
  'customer_email',
  'reference',
  'account_id',
  'date_from',
  'date_to',
  ...amountNames,
] as const;

export default function PaymentsPage() {
  const { locale, t } = useI18n();
  const { nav, fields, list, statuses } = t;
  const filter = useFilters(names);
  const order = useListOrder();
  const { operate } = useMayAct();
  const own = useOwnAccountId();
  const { pending, succeeded, failed, canceled } = statuses;
  return (
    <Page
      title={nav.payments}
      aside={
        <div className="actions">
          {own !== null && (
            <Actions
              actions={[
                {
                  name: 'payment',
                  label: t.create.payment,
                  ...operate,
                  dialog: (close) => <CreatePaymentDialog accountId={own} onClose={close} />,
                },
              ]}
            />
          )}
          <ExportButton
            name="payment-requests"
            save={(file) => downloadList('/v1/payments', { ...paymentQuery(filter, locale), ...order }, file)}
          />
        </div>
      }
    >
      <Filters
        savedAs="payments"
        filters={[
          {
            name: 'status',
            label: fields.status,
            options: { pending, succeeded, failed, canceled },
          },
          { name: 'customer_email', label: fields.customer, type: 'text' },
          { name: 'reference', label: fields.reference, type: 'text' },
          { name: 'account_id', label: fields.account, type: 'account' },
          ...amountFilters(t, filter, locale),
          ...dateFilters({ list }, filter, ['date_from', 'date_to']),
        ]}
      />
      <PaymentsTable filter={filter} hasFilters={Object.keys(filter).length > 0} />
    </Page>
  );
}
