import { api, type Schemas } from '../api/client';
import { cursorPages } from '../api/pages';
import { useFormats } from '../i18n/formats';
import { useI18n } from '../i18n/i18n';
import { IdLink } from '../ui/id-link';
import { type Column, ResourceList } from '../ui/resource-list';
import { Status } from '../ui/status';
import { type AmountFilter, inMinorUnits } from './amount-filters';
import { pageOf } from './links';

type PaymentRequest = Schemas['PaymentRequestResponse'];

export interface PaymentFilter extends AmountFilter {
  readonly account_id?: string;
  readonly customer_email?: string;
  readonly reference?: string;
  readonly status?: string;
  readonly date_from?: string;
  readonly date_to?: string;
}

/** The query of a list, with the values of the address, beside amounts, as they are: the service says what is wrong. */
export const paymentQuery = (filter: PaymentFilter, locale: string) =>
  ({ ...inMinorUnits(filter, locale), view: 'full' }) as {
    status?: Schemas['PaymentRequestStatus'];
    view: 'full';
  };

interface PaymentsTableProps {
  readonly filter: PaymentFilter;
  readonly hasFilters: boolean;
  /** Leaves out what is the same in all rows of one account. */
  readonly isOfAccount?: boolean;
}

export function PaymentsTable({ filter, hasFilters, isOfAccount = false }: PaymentsTableProps) {
  const { locale, t } = useI18n();
  const { nav, fields } = t;
  const { money, time } = useFormats();
  const columns: Column<PaymentRequest>[] = [
    {
      name: 'amount',
      header: fields.amount,
      align: 'end',
      cell: ({ amount, currency }) => money(amount, currency),
    },
    {
      name: 'status',
      header: fields.status,
      cell: ({ status }) => <Status value={status} />,
    },
    {
      name: 'customer',
      header: fields.customer,
      isMinor: true,
      cell: ({ customer_email }) => customer_email,
    },
    {
      name: 'reference',
      header: fields.reference,
      isMinor: true,
      cell: ({ reference }) => reference,
    },
    {
      name: 'account',
      header: fields.account,
      isMinor: true,
      cell: ({ account_id }) => <IdLink id={account_id} />,
    },
    {
      name: 'created',
      header: fields.created,
      width: 'time',
      cell: ({ created_at }) => time(created_at),
    },
  ];
  return (
    <ResourceList<PaymentRequest>
      label={nav.payments}
      queryKey={['payments', filter, locale]}
      load={cursorPages(async (page, signal) => {
        const query = { ...paymentQuery(filter, locale), ...page };
        const { data, has_more } = await api.get('/v1/payments', {
          params: { query },
          signal,
        });
        return { data: data as PaymentRequest[], has_more };
      })}
      columns={columns.filter(({ name }) => !(isOfAccount && name === 'account'))}
      keyOf={({ id }) => id}
      linkOf={({ id }) => pageOf(id)}
      secondOf={({ customer_email, reference }) => reference ?? customer_email}
      hasFilters={hasFilters}
    />
  );
}
