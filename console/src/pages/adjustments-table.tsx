import { api, type Schemas } from '../api/client';
import { cursorPages } from '../api/pages';
import { useFormats } from '../i18n/formats';
import { useMessages } from '../i18n/i18n';
import { type Column, ResourceList } from '../ui/resource-list';
import { useOldestFirst } from '../ui/list-order';
import { useColumns } from './columns';
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

/** Corrections of balances. */
export function AdjustmentsTable({ filter, hasFilters, isOfAccount = false }: AdjustmentsTableProps) {
  const { nav } = useMessages();
  const shared = useColumns();
  const oldest = useOldestFirst('adj');
  const query = filter as { status?: Schemas['AdjustmentStatus'] };
  const { money } = useFormats();
  const columns: Column<Adjustment>[] = [
    {
      ...shared.amount,
      cell: (adjustment) => money(changeOf(adjustment), adjustment.currency),
    },
    shared.status,
    shared.reason,
    shared.reference,
    shared.account,
    { ...shared.created, sort: 'created_at' },
  ];
  return (
    <ResourceList<Adjustment>
      label={nav.adjustments}
      queryKey={['adjustments', filter, oldest]}
      load={cursorPages(
        (page, signal) => api.get('/v1/adjustments', { params: { query: { ...query, ...page } }, signal }),
        oldest,
      )}
      columns={columns.filter(({ name }) => !(isOfAccount && name === 'account'))}
      keyOf={({ id }) => id}
      linkOf={({ id }) => pageOf(id)}
      secondOf={({ reason }) => reason}
      hasFilters={hasFilters}
    />
  );
}
