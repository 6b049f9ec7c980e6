import type { Backlog } from '../account-owned-repository';
import { comparedColumns, listBranches } from './cursor-list';
import type { ListFilters } from './list-filters';
import { buildStatement, type Statement } from '../tx';

/** How many rows `backlogStatement` counts at most. */
export const MAX_COUNTED = 10_000;

/** The statement that counts the oldest rows of a list of amounts and adds them up, by currency. */
export function backlogStatement(filters: ListFilters, filter: object): Statement {
  const columns = ['id', 'currency', 'amount', ...comparedColumns(filters)].join(', ');
  const oldestFirst = { limit: MAX_COUNTED, endingBefore: '' };
  return buildStatement((placeholder) => {
    const { branches } = listBranches(filters, columns, filter, oldestFirst, placeholder, () => MAX_COUNTED);
    const union = branches.map((branch) => `(${branch})`).join(' UNION ALL ');
    const counted = `SELECT id, currency, amount FROM (${union}) AS listed ORDER BY id LIMIT ${MAX_COUNTED}`;
    return `SELECT currency, count(*)::integer AS count, sum(amount)::text AS amount, min(id) AS oldest_id
      FROM (${counted}) AS counted GROUP BY currency`;
  });
}

/** Several backlogs of one resource as one. */
export function mergedBacklog(backlogs: readonly Backlog[]): Backlog {
  const amounts = new Map<string, bigint>();
  for (const [currency, amount] of backlogs.flatMap((backlog) => [...backlog.amounts]).toSorted())
    amounts.set(currency, (amounts.get(currency) ?? 0n) + amount);
  const [oldest] = backlogs
    .flatMap((backlog) => backlog.oldest ?? [])
    .toSorted((a, b) => (a.id < b.id ? -1 : 1));
  return {
    count: backlogs.reduce((sum, { count }) => sum + count, 0),
    isCut: backlogs.some(({ isCut }) => isCut),
    amounts,
    oldest: oldest ?? null,
  };
}
