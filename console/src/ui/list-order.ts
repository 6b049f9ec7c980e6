import { useSearchParams } from 'wouter';

/** What a list can be sorted by; by `created_at` unless its address has `sort`. */
export type SortKey = 'created_at' | 'amount';

/** The order of a list in its address, as the API takes it. */
interface ListOrder {
  readonly sort?: 'amount';
  readonly order?: 'asc';
}

export function useListOrder(): ListOrder {
  const [params] = useSearchParams();
  return {
    ...(params.get('sort') === 'amount' && { sort: 'amount' }),
    ...(params.get('order') === 'asc' && { order: 'asc' }),
  };
}

/**
 * Whether the address says that a list is oldest first, which the API has no parameter for.
 * @param prefix of the ids of its items
 * @returns a cursor before all of them; null for newest first
 */
export function useOldestFirst(prefix: string): string | null {
  const { order } = useListOrder();
  return order === 'asc' ? `${prefix}_${'0'.repeat(26)}` : null;
}

/** The order by one column: whether the list is in it, and what turns it around or sorts by the column. */
export function useColumnOrder(key: SortKey) {
  const [, setParams] = useSearchParams();
  const { sort = 'created_at', order } = useListOrder();
  const isShown = sort === key;
  const turn = (): void =>
    setParams((previous) => {
      const next = new URLSearchParams(previous);
      next.delete('sort');
      next.delete('order');
      if (key !== 'created_at') next.set('sort', key);
      if (isShown && order !== 'asc') next.set('order', 'asc');
      return next;
    });
  return { direction: isShown ? (order === 'asc' ? 'ascending' : 'descending') : 'none', turn } as const;
}
