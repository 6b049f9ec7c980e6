/** A page of a list by number; the first page is 1. */
export interface PageRequest {
  readonly page: number;
  readonly limit: number;
}

export interface Page<T> {
  readonly items: T[];
  readonly total: number;
}

/**
 * A page of a list relative to a cursor, newest first. At most one of the two cursors is set. A cursor is a place in the
 * order: the list need not have an item with its id.
 */
export interface CursorRequest {
  readonly limit: number;
  /** Returns items older than this id. */
  readonly startingAfter?: string;
  /** Returns the items that directly precede this id, i.e. newer ones. */
  readonly endingBefore?: string;
}

/**
 * The page of the opposite order that has the items of a page, reversed: what is after a place in one order is before it in
 * the other.
 * @param beginning a place before all items
 */
export function reversed(
  { limit, startingAfter, endingBefore }: CursorRequest,
  beginning: string,
): CursorRequest {
  if (endingBefore !== undefined) return { limit, startingAfter: endingBefore };
  return { limit, endingBefore: startingAfter ?? beginning };
}

export interface CursorPage<T> {
  readonly items: T[];
  /** Whether there are more items in the direction of the cursor. */
  readonly hasMore: boolean;
}

/**
 * Builds a page from up to `limit + 1` rows. The extra row only shows that there are more.
 * @param rows newest first; oldest first for `endingBefore`, in which case the page is reversed
 */
export function cutPage<T>(rows: T[], request: CursorRequest): CursorPage<T> {
  const items = rows.slice(0, request.limit);
  if (request.endingBefore !== undefined) items.reverse();
  return { items, hasMore: rows.length > request.limit };
}

/** The longest page of a list by page number. */
const LONGEST = 100;

/** Reads all items of a list by page number, a page at a time. For short lists: long ones move while they are read. */
export async function* allPages<Item>(
  read: (page: PageRequest) => Promise<readonly Item[]>,
): AsyncIterable<readonly Item[]> {
  for (let page = 1; ; page += 1) {
    const items = await read({ page, limit: LONGEST });
    yield items;
    if (items.length < LONGEST) return;
  }
}
