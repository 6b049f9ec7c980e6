import { type LoadPage } from '../ui/resource-list';

const PAGE_ITEMS = 50;

interface CursorList<T> {
  readonly data: readonly T[];
  readonly has_more: boolean;
}

/** Reads a cursor list page by page. @param read gets the part of the query that selects the page */
export function cursorPages<T extends { readonly id: string }>(
  read: (
    page: { readonly limit: number; readonly starting_after?: string },
    signal: AbortSignal,
  ) => Promise<CursorList<T>>,
): LoadPage<T> {
  return async (start, signal) => {
    const page = {
      limit: PAGE_ITEMS,
      ...(start !== null && { starting_after: start }),
    };
    const { data, has_more } = await read(page, signal);
    return { items: data, next: has_more ? data.at(-1)!.id : null };
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
