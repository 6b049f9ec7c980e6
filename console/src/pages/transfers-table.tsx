import { api, type Schemas } from '../api/client';
import { cursorPages } from '../api/pages';
import { useFormats } from '../i18n/formats';
import { format, useI18n } from '../i18n/i18n';
import { isDashboard } from '../place';
import { IdLink } from '../ui/id-link';
import { type Column, ResourceList } from '../ui/resource-list';
import { useOldestFirst } from '../ui/list-order';
import { type AmountFilter, inMinorUnits } from './amount-filters';
import { useColumns } from './columns';
import { pageOf } from './links';

export type Transfer = Schemas['TransferResponse'];

interface TransferFilter extends AmountFilter {
  readonly account_id?: string;
  readonly direction?: string;
  readonly reference?: string;
  readonly reversal_of?: string;
  readonly status?: string;
  readonly date_from?: string;
  readonly date_to?: string;
}

/** The query of a list, with the values of the address, beside amounts, as they are: the service says what is wrong. */
export const transferQuery = (filter: TransferFilter, locale: string) =>
  inMinorUnits(filter, locale) as {
    status?: Schemas['TransferStatus'];
    direction?: Schemas['TransferDirection'];
  };

/** What a transfer has moved, or will: above zero into the account of a list, below zero out of it. */
const changeOf = ({ amount, direction }: Transfer): number => (direction === 'in' ? amount : -amount);

/** An account that receives. */
export function Receiver({ part: { account_id, account_name } }: { readonly part: Transfer['to'][number] }) {
  return <IdLink id={account_id} name={account_name} />;
}

interface TransfersTableProps {
  readonly filter: TransferFilter;
  readonly label?: string;
  readonly hasFilters: boolean;
  /** Shows what changes for one account, and the other one. */
  readonly isOfAccount?: boolean;
}

export function TransfersTable({
  filter,
  label,
  hasFilters,
  isOfAccount = isDashboard,
}: TransfersTableProps) {
  const { locale, t } = useI18n();
  const { money } = useFormats();
  const shared = useColumns();
  const oldest = useOldestFirst('trf');
  const { nav, fields, transfer } = t;
  const several = ({ to }: Transfer): string => format(transfer.several, { count: to.length });
  const giver: Column<Transfer> = {
    name: 'from',
    header: fields.giver,
    isMinor: true,
    cell: ({ from_account_id, from_account_name }) => (
      <IdLink id={from_account_id} name={from_account_name} />
    ),
  };
  const receiver: Column<Transfer> = {
    name: 'to',
    header: fields.receiver,
    isMinor: true,
    cell: (item) => (item.to.length === 1 ? <Receiver part={item.to[0]!} /> : several(item)),
  };
  const change: Column<Transfer> = {
    ...shared.amount,
    cell: (item) => money(changeOf(item), item.currency),
  };
  const other: Column<Transfer> = {
    ...receiver,
    header: fields.counterparty,
    cell: (item) => (item.direction === 'in' ? giver : receiver).cell(item),
  };
  const nameOfReceiver = (item: Transfer) =>
    item.to.length === 1 ? item.to[0]!.account_name : several(item);
  return (
    <ResourceList<Transfer>
      label={label ?? nav.transfers}
      queryKey={['transfers', filter, locale, oldest]}
      load={cursorPages(
        (page, signal) =>
          api.get('/v1/transfers', {
            params: { query: { ...transferQuery(filter, locale), ...page } },
            signal,
          }),
        oldest,
      )}
      columns={[
        isOfAccount ? change : shared.amount,
        shared.status,
        ...(isOfAccount ? [other] : [giver, receiver]),
        shared.reference,
        { ...shared.created, sort: 'created_at' },
      ]}
      keyOf={({ id, account_id }) => `${id} ${account_id}`}
      linkOf={({ id }) => pageOf(id)}
      secondOf={(item) => `${item.from_account_name} → ${nameOfReceiver(item)}`}
      hasFilters={hasFilters}
    />
  );
}
