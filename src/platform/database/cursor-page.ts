import { ObjectLiteral, SelectQueryBuilder } from 'typeorm';
import { CursorPage, CursorRequest, cutPage } from '../../kernel/pages';

/** What a cursor list may be narrowed by: columns equal to a value, and creation within inclusive bounds. */
export interface CursorFilter {
  readonly equal: Readonly<Record<string, string | undefined>>;
  /** Columns equal to a value but for its case. */
  readonly ignoringCase?: Readonly<Record<string, string | undefined>>;
  readonly from?: Date;
  readonly to?: Date;
}

/**
 * Reads one page of a list in the order of its ids. Ids are issued in order under the account's lock, so a row that
 * commits while somebody walks the list never lands behind the walker.
 */
export async function readCursorPage<Entity extends ObjectLiteral>(
  query: SelectQueryBuilder<Entity>,
  { equal, ignoringCase = {}, from, to }: CursorFilter,
  request: CursorRequest,
): Promise<CursorPage<Entity>> {
  const { alias } = query;
  for (const [property, value] of Object.entries(equal)) {
    if (value !== undefined) query.andWhere(`${alias}.${property} = :${property}`, { [property]: value });
  }
  for (const [property, value] of Object.entries(ignoringCase)) {
    if (value !== undefined) {
      query.andWhere(`lower(${alias}.${property}) = lower(:${property})`, { [property]: value });
    }
  }
  if (from !== undefined) query.andWhere(`${alias}.createdAt >= :from`, { from });
  if (to !== undefined) query.andWhere(`${alias}.createdAt <= :to`, { to });
  const { startingAfter, endingBefore, limit } = request;
  if (startingAfter !== undefined) query.andWhere(`${alias}.id < :startingAfter`, { startingAfter });
  if (endingBefore !== undefined) query.andWhere(`${alias}.id > :endingBefore`, { endingBefore });
  query.orderBy(`${alias}.id`, endingBefore === undefined ? 'DESC' : 'ASC').limit(limit + 1);
  return cutPage(await query.getMany(), request);
}
