import { api, type Schemas } from '../api/client';
import { cursorPages } from '../api/pages';
import { useI18n } from '../i18n/i18n';
import { isDashboard } from '../place';
import { type Column, ResourceList } from '../ui/resource-list';
import { useListOrder } from '../ui/list-order';
import { type AmountFilter, inMinorUnits } from './amount-filters';
import { useColumns } from './columns';
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

export function PaymentsTable({ filter, hasFilters, isOfAccount = isDashboard }: PaymentsTableProps) {
  const { locale, t } = useI18n();
  const shared = useColumns();
  const order = useListOrder();
  const { nav } = t;
  const columns: Column<PaymentRequest>[] = [
    { ...shared.amount, sort: 'amount' },
    shared.status,
    shared.customer,
    shared.reference,
    shared.account,
    { ...shared.created, sort: 'created_at' },
  ];
  return (
    <ResourceList<PaymentRequest>
      label={nav.payments}
      queryKey={['payments', filter, locale, order]}
      load={cursorPages(async (page, signal) => {
        const query = { ...paymentQuery(filter, locale), ...order, ...page };
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
