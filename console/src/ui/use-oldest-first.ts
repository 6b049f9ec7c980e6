import { useSearchParams } from 'wouter';

/** The name of the order in the address of a list. */
export const ORDER = 'order';

/**
 * Whether the address says that a list is oldest first.
 * @param prefix of the ids of its items
 * @returns a cursor before all of them; null for newest first
 */
export function useOldestFirst(prefix: string): string | null {
  const [params] = useSearchParams();
  return params.get(ORDER) === 'asc' ? `${prefix}_${'0'.repeat(26)}` : null;
}
