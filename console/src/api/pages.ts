import { type LoadPage } from '../ui/resource-list';

const PAGE_ITEMS = 50;

interface CursorList<T> {
  readonly data: readonly T[];
  readonly has_more: boolean;
}

interface CursorPage {
  readonly limit: number;
  readonly starting_after?: string;
  readonly ending_before?: string;
}

/**
 * Reads a cursor list page by page, newest first.
 * @param read gets the part of the query that selects the page
 * @param oldest a cursor before all items, from which they are read oldest first; null for newest first
 */
export function cursorPages<T extends { readonly id: string }>(
  read: (page: CursorPage, signal: AbortSignal) => Promise<CursorList<T>>,
  oldest: string | null = null,
): LoadPage<T> {
  return async (start, signal) => {
    const limit = PAGE_ITEMS;
    const page =
      oldest === null
        ? { limit, ...(start !== null && { starting_after: start }) }
        : { limit, ending_before: start ?? oldest };
    const { data, has_more } = await read(page, signal);
    const items = oldest === null ? data : data.toReversed(); // a page is newest first wherever it begins
    return { items, next: has_more ? items.at(-1)!.id : null };
  };
}

interface NumberedList<T> {
  readonly data: readonly T[];
  readonly pagination: {
    readonly page: number;
    readonly has_next?: boolean;
    readonly total_pages?: number;
  };
}

/** Reads a list with page numbers. @param read gets the part of the query that selects the page */
export function numberedPages<T>(
  read: (
    page: { readonly limit: number; readonly page: number },
    signal: AbortSignal,
  ) => Promise<NumberedList<T>>,
): LoadPage<T> {
  return async (start, signal) => {
    const { data, pagination } = await read({ limit: PAGE_ITEMS, page: Number(start ?? 1) }, signal);
    const { page, total_pages = 0, has_next = page < total_pages } = pagination;
    return { items: data, next: has_next ? String(page + 1) : null };
  };
}

/** Reads a list with page numbers that does not say how many pages there are: a full one may have a next one. */
export function fullPages<T>(
  read: (
    page: { readonly limit: number; readonly page: number },
    signal: AbortSignal,
  ) => Promise<{ readonly data: readonly T[] }>,
): LoadPage<T> {
  return numberedPages(async (page, signal) => {
    const { data } = await read(page, signal);
    return { data, pagination: { page: page.page, has_next: data.length === page.limit } };
  });
}
