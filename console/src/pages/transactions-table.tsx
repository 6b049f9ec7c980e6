import { api, type Schemas } from '../api/client';
import { cursorPages } from '../api/pages';
import { useFormats } from '../i18n/formats';
import { textFor, useI18n, useMessages } from '../i18n/i18n';
import { isDashboard } from '../place';
import { type Column, type ListSource, ResourceList } from '../ui/resource-list';
import { useListOrder } from '../ui/list-order';
import { type AmountFilter, inMinorUnits } from './amount-filters';
import { changeOfBalance } from './about';
import { useColumns } from './columns';
import { pageOf } from './links';

export type Transaction = Schemas['TransactionResponse'];

export interface TransactionFilter extends AmountFilter {
  readonly account_id?: string;
  readonly reference?: string;
  readonly source_transaction_id?: string;
  readonly status?: string;
  readonly type?: string;
  readonly date_from?: string;
  readonly date_to?: string;
}

/** The query of a list, with the values of the address, beside amounts, as they are: the service says what is wrong. */
export function transactionQuery(filter: TransactionFilter, locale: string) {
  return { ...inMinorUnits(filter, locale), view: 'full' } as {
    status?: Schemas['TransactionStatus'];
    type?: Schemas['TransactionType'];
    view: 'full';
  };
}

export function useTransactionList(filter: TransactionFilter): ListSource<Transaction> {
  const { locale } = useI18n();
  const order = useListOrder();
  return {
    queryKey: ['transactions', filter, locale, order],
    load: cursorPages(async (page, signal) => {
      const query = { ...transactionQuery(filter, locale), ...order, ...page };
      const { data, has_more } = await api.get('/v1/transactions', {
        params: { query },
        signal,
      });
      return { data: data as Transaction[], has_more };
    }),
  };
}

/** @param isOfAccount leaves out what is the same in all rows of one account */
export function TransactionsTable({
  filter,
  label,
  hasFilters,
  isOfAccount = isDashboard,
}: {
  readonly filter: TransactionFilter;
  readonly label?: string;
  readonly hasFilters: boolean;
  readonly isOfAccount?: boolean;
}) {
  const t = useMessages();
  const shared = useColumns();
  const { money } = useFormats();
  const { nav, fields, types } = t;
  const columns: Column<Transaction>[] = [
    { ...shared.amount, sort: 'amount', cell: (item) => money(changeOfBalance(item), item.currency) },
    shared.status,
    {
      name: 'type',
      header: fields.type,
      kind: 'word',
      isMinor: true,
      cell: ({ type }) => textFor(types, type),
    },
    shared.reference,
    shared.account,
    { ...shared.created, sort: 'created_at' },
  ];
  return (
    <ResourceList<Transaction>
      label={label ?? nav.transactions}
      {...useTransactionList(filter)}
      columns={columns.filter(({ name }) => !(isOfAccount && name === 'account'))}
      keyOf={({ id }) => id}
      linkOf={({ id }) => pageOf(id)}
      secondOf={({ type, reference }) => [textFor(types, type), reference].filter(Boolean).join(' · ')}
      hasFilters={hasFilters}
    />
  );
}
