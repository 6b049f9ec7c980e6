/** A numbered page of a list: `page` counts from 1. */
export interface PageRequest {
  readonly page: number;
  readonly limit: number;
}

export interface Page<T> {
  readonly items: T[];
  readonly total: number;
}

/** A page next to a cursor, newest first. At most one of the two cursors is given. */
export interface CursorRequest {
  readonly limit: number;
  /** Items older than the one with this id. */
  readonly startingAfter?: string;
  /** Items newer than the one with this id, the nearest to it. */
  readonly endingBefore?: string;
}

export interface CursorPage<T> {
  readonly items: T[];
  /** Whether the list goes on in the direction walked. */
  readonly hasMore: boolean;
}

/**
 * Cuts a page from rows read in the direction of the walk, one more than the limit: the extra row is how
 * `has_more` is known exactly. A walk back reads oldest first and is turned round here.
 */
export function cutPage<T>(rows: T[], request: CursorRequest): CursorPage<T> {
  const items = rows.slice(0, request.limit);
  if (request.endingBefore !== undefined) items.reverse();
  return { items, hasMore: rows.length > request.limit };
}
