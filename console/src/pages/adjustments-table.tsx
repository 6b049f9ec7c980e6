import { api, type Schemas } from '../api/client';
import { cursorPages } from '../api/pages';
import { useFormats } from '../i18n/formats';
import { useMessages } from '../i18n/i18n';
import { IdLink } from '../ui/id-link';
import { type Column, ResourceList } from '../ui/resource-list';
import { Status } from '../ui/status';
import { pageOf } from './links';

type Adjustment = Schemas['AdjustmentResponse'];

interface AdjustmentsTableProps {
  readonly filter: Partial<Record<'status' | 'reference' | 'account_id' | 'date_from' | 'date_to', string>>;
  readonly hasFilters: boolean;
  /** Leaves out what is the same in all rows of one account. */
  readonly isOfAccount?: boolean;
}

/** What an adjustment does to the balance, in minor units. */
export function changeOf({ amount, direction }: Pick<Adjustment, 'amount' | 'direction'>): number {
  return direction === 'credit' ? amount : -amount;
}

/** Corrections of balances, newest first. */
export function AdjustmentsTable({ filter, hasFilters, isOfAccount = false }: AdjustmentsTableProps) {
  const { nav, fields } = useMessages();
  const query = filter as { status?: Schemas['AdjustmentStatus'] };
  const { money, time } = useFormats();
  const columns: Column<Adjustment>[] = [
    {
      name: 'amount',
      header: fields.amount,
      align: 'end',
      cell: (adjustment) => money(changeOf(adjustment), adjustment.currency),
    },
    { name: 'status', header: fields.status, cell: ({ status }) => <Status value={status} /> },
    { name: 'reason', header: fields.reason, isMinor: true, cell: ({ reason }) => reason },
    { name: 'reference', header: fields.reference, isMinor: true, cell: ({ reference }) => reference },
    {
      name: 'account',
      header: fields.account,
      isMinor: true,
      cell: ({ account_id }) => <IdLink id={account_id} />,
    },
    { name: 'created', header: fields.created, width: 'time', cell: ({ created_at }) => time(created_at) },
  ];
  return (
    <ResourceList<Adjustment>
      label={nav.adjustments}
      queryKey={['adjustments', filter]}
      load={cursorPages((page, signal) =>
        api.get('/v1/adjustments', { params: { query: { ...query, ...page } }, signal }),
      )}
      columns={columns.filter(({ name }) => !(isOfAccount && name === 'account'))}
      keyOf={({ id }) => id}
      linkOf={({ id }) => pageOf(id)}
      secondOf={({ reason }) => reason}
      hasFilters={hasFilters}
    />
  );
}
