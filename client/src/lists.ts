interface CursorPage {
  readonly data: readonly { readonly id: string }[];
  readonly has_more: boolean;
}

interface NumberedPage {
  readonly data: readonly unknown[];
  readonly pagination: { readonly page: number; readonly total_pages?: number; readonly has_next?: boolean };
}

/** A page of a list with numbers that does not say how many there are. */
interface FullPage {
  readonly data: readonly unknown[];
}

/** A page of any list of the API. */
export type Page = CursorPage | NumberedPage | FullPage;

/** The items on a page of such a list, unless the query says otherwise. */
const DEFAULT_LIMIT = 100;

type Query = Readonly<Record<string, unknown>>;

/**
 * Walks a list page by page. With `ending_before` it walks towards newer items, oldest first; otherwise in the order of
 * the list.
 */
export async function* walk(
  fetchPage: (query: Query) => Promise<Page>,
  query: Query = {},
): AsyncGenerator<unknown, void, undefined> {
  for (let next: Query | undefined = query; next !== undefined;) {
    const page = await fetchPage(next);
    yield* next['ending_before'] === undefined ? page.data : page.data.toReversed();
    next = queryAfter(page, next);
  }
}

function queryAfter(page: Page, query: Query): Query | undefined {
  if ('has_more' in page) {
    if (!page.has_more) return undefined;
    if (query['ending_before'] !== undefined) return { ...query, ending_before: page.data[0]?.id };
    return { ...query, starting_after: page.data.at(-1)?.id };
  }
  if ('pagination' in page) {
    const { page: number, total_pages: pages, has_next: hasNext = number < (pages ?? 0) } = page.pagination;
    return hasNext ? { ...query, page: number + 1 } : undefined;
  }
  const isFull = page.data.length === Number(query['limit'] ?? DEFAULT_LIMIT);
  return isFull ? { ...query, page: Number(query['page'] ?? 1) + 1 } : undefined;
}
