import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { documentedOperations } from './operations';
import { Person, theAdmin } from './people';
import { StatementReads } from './rows-read';
import { SentStatements } from './sent-statements';
import { startTestService, TestService } from './service';

/** The default of items on a page, and how many rows and pages of 8 KiB a statement may read for each. */
export const LIMIT = 20;
export const MAX_READS_PER_ITEM = 10;

export type Query = Readonly<Record<string, string>>;

/** Reads a file that fills a database or adds to it. */
export const fillSql = (name: 'fill' | 'journal'): string =>
  readFileSync(join(__dirname, `../../bench/growth/${name}.sql`), 'utf8');

/** All combinations of the members of a query. */
export function combinations(query: Query): Query[] {
  return Object.entries(query).reduce<Query[]>(
    (shorter, [name, value]) => [...shorter, ...shorter.map((subset) => ({ ...subset, [name]: value }))],
    [{}],
  );
}

/** A service on a database that fill.sql has filled. */
export interface FilledService {
  readonly service: TestService;
  readonly admin: Person;
  readonly reads: StatementReads;
}

export async function startFilled(transactions: number, accounts: number | null): Promise<FilledService> {
  const service = await startTestService();
  await service.sql(`SELECT set_config('growth.transactions', $1, false)`, [`${transactions}`]);
  await service.sql(`SELECT set_config('growth.accounts', $1, false)`, [`${accounts ?? ''}`]);
  await service.sql(fillSql('fill'));
  return {
    service,
    admin: await theAdmin(service.api),
    reads: await StatementReads.on(service.databaseUrl),
  };
}

export async function stopFilled({ service, reads }: FilledService): Promise<void> {
  await reads.close();
  await service.stop();
}

/** What a list takes beside filters, or what has tests of its own. */
const OTHER_PARAMETERS =
  /^(limit|starting_after|ending_before|date_(from|to)|account_id|amount_(min|max)|sort|order|view|format)$/;

/** @returns a value of every filter that is documented for a list, which tests replace with values that rows have */
export async function exampleFilters(url: string, path: string): Promise<Query> {
  const list = (await documentedOperations(url)).find((one) => one.path === path && one.method === 'GET')!;
  const filters = Object.entries(list.parameters).filter(([name]) => !OTHER_PARAMETERS.test(name));
  return Object.fromEntries(
    filters.map(([name, { example, enum: values }]) => [name, (example ?? values?.[0]) as string]),
  );
}

/** How many pages of 8 KiB each statement may read. */
type MaxPages = number | ((sql: string) => number);

/**
 * Requests a page.
 * @param query `limit` is {@link LIMIT} unless it is given
 * @param further how many rows a statement may read besides
 * @returns what is wrong with the statements that the service sent for it
 */
export function excessOf(
  filled: FilledService,
  path: string,
  query: Query,
  further = 0,
  maxPages?: MaxPages,
): Promise<string[]> {
  const parameters = { limit: `${LIMIT}`, ...query };
  const most = MAX_READS_PER_ITEM * Number(parameters.limit);
  const url = `${path}?${new URLSearchParams(parameters).toString()}`;
  return excessOfRequest(filled, url, most + further, maxPages ?? most);
}

/** @returns what is wrong with the statements that the service sends for a request, each of which may read that much */
export async function excessOfRequest(
  { admin, reads }: FilledService,
  url: string,
  maxRows: number,
  maxPages: MaxPages,
  status = 200,
): Promise<string[]> {
  const sent = new SentStatements();
  try {
    expect([url, (await admin.api.get(url)).status]).toEqual([url, status]);
  } finally {
    sent.stop();
  }
  return sent.faults(async (sql, values) => {
    if (sql.includes('INSERT INTO audit_log_')) return null; // the read itself is recorded
    const { rows, pages } = await reads.of(sql, values);
    const most = typeof maxPages === 'number' ? maxPages : maxPages(sql);
    return rows > maxRows || pages > most ? `${url} reads ${rows} rows, ${pages} pages` : null;
  });
}
