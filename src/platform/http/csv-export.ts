import type { StreamableFile, Type } from '@nestjs/common';
import { stringify } from 'csv-stringify/sync';
import type { Readable } from 'node:stream';
import { DomainError } from '../../kernel/domain-error';
import { decimalAmount } from '../i18n/formats';
import { type ApiVersion, listMembers } from '../versions/api-versions';
import type { ListFormat } from './list-query';
import { streamedFile } from './streamed-file';

/** How many items are read at a time: as many as the longest page has, whose statements are short. */
const BATCH = 100;

type Item = Readonly<Record<string, unknown>>;
interface ItemPage {
  readonly data: readonly object[];
  readonly has_more: boolean;
}
/** The class of a response, made with CursorListResponse: its whole items have the columns. */
interface ListResponse {
  readonly itemTypes: readonly Type[];
}
/** Finds the account with an id, or null; look-ups of the same moment share a query. */
interface NamedAccounts {
  find(id: string): Promise<{ readonly name: string } | null>;
}
interface ExportQuery {
  readonly format?: ListFormat;
  readonly amount_min?: number;
  readonly amount_max?: number;
  readonly ending_before?: string;
  readonly sort?: string;
}

/**
 * Returns the page of a query, or all items from it on as CSV when the query says `format=csv`: whole ones, because the
 * short ones of the interface have neither references nor reasons. An export reads page after page, each when the client
 * has taken the one before: it takes the same memory at any length, and holds no connection of the database meanwhile.
 * @param read reads the page of a query; where it checks or records who reads, that is done for every page
 * @param accounts gives each `account_id` of an export the name of the account beside it
 * @throws DomainError `invalid_request` for an export with `ending_before`
 */
export async function listOrCsv<Page extends ItemPage, Query extends ExportQuery>(
  { itemTypes }: ListResponse,
  { format, ...query }: Query,
  read: (query: Omit<Query, 'format'>) => Promise<Page>,
  accounts?: NamedAccounts,
): Promise<Page | StreamableFile> {
  if (format !== 'csv') return read(query);
  const { ending_before }: ExportQuery = query;
  if (ending_before !== undefined)
    throw new DomainError('invalid_request', 'An export takes starting_after only.');
  const whole = itemTypes.length > 1 ? { view: 'full' } : {};
  const items = itemsOf(query, (members) => read({ ...query, ...members, ...whole }));
  const itemType = itemTypes.at(-1)!;
  return accounts === undefined
    ? csvFile(itemType, items)
    : csvFile(itemType, withAccountNames(items, accounts), true);
}

/** Adds the names of their accounts to items, as they are when a page is read. */
async function* withAccountNames(
  pages: AsyncIterable<readonly object[]>,
  accounts: NamedAccounts,
): AsyncIterable<readonly object[]> {
  for await (const page of pages) {
    const ids = [...new Set(page.map((item) => String((item as Item).account_id)))];
    const names = new Map(
      await Promise.all(ids.map(async (id) => [id, (await accounts.find(id))?.name] as const)),
    );
    yield page.map((item) => ({ ...item, account_name: names.get(String((item as Item).account_id)) }));
  }
}

/** The items of a cursor list, page by page. */
async function* itemsOf(
  { amount_min = -Infinity, amount_max = Infinity, sort }: ExportQuery,
  read: (members: object) => Promise<ItemPage>,
): AsyncIterable<readonly object[]> {
  const isInRange = (item: object): boolean => {
    const { amount } = item as Item;
    return typeof amount !== 'number' || (amount >= amount_min && amount <= amount_max);
  };
  // An export by time reads all items of a range of amounts, which pages find only within bounds.
  const range = sort === 'amount' ? {} : { amount_min: undefined, amount_max: undefined };
  for (let cursor = {}; ;) {
    const page = await read({ ...range, ...cursor, limit: BATCH });
    yield page.data.filter(isInRange);
    const last = page.data.at(-1) as Item | undefined;
    if (!page.has_more || last === undefined) return;
    cursor = { starting_after: String(last.id) };
  }
}

/** A list by page number. */
interface NumberedList<Item, Page> {
  readonly itemType: Type;
  readonly page: () => Promise<Page>;
  /** Reads all items, a part at a time. */
  readonly walk: () => AsyncIterable<readonly Item[]>;
  readonly render: (part: readonly Item[]) => readonly object[] | Promise<readonly object[]>;
}

/**
 * Returns the page of a query, or all items as CSV when the query says `format=csv`.
 * @throws DomainError `invalid_request` for an export with a page
 */
export async function pageOrCsv<Item, Page>(
  { format, page }: { readonly format?: ListFormat; readonly page: number },
  list: NumberedList<Item, Page>,
): Promise<Page | StreamableFile> {
  if (format !== 'csv') return list.page();
  if (page > 1) throw new DomainError('invalid_request', 'An export takes no page.');
  async function* rendered(): AsyncIterable<readonly object[]> {
    for await (const part of list.walk()) yield list.render(part);
  }
  return csvFile(list.itemType, rendered());
}

/**
 * Returns items as CSV. The first part is read before the response begins, so that an error has its status.
 * @param itemType the class of the items, whose members are the columns
 * @param parts the items, a part at a time; a part may be empty
 * @param hasNames whether the items have the names of their accounts besides
 */
async function csvFile(
  itemType: Type,
  parts: AsyncIterable<readonly object[]>,
  hasNames = false,
): Promise<StreamableFile> {
  const iterator = parts[Symbol.asyncIterator]();
  const first = await iterator.next();
  async function* lines(): AsyncIterable<string> {
    const version = versions.get(file.getStream());
    const declared = listColumns(version?.classOf(itemType) ?? itemType);
    const columns = hasNames ? declared.flatMap(withName) : declared;
    yield stringify([columns]);
    for (let part = first; part.done !== true; part = await iterator.next()) {
      const items = part.value.map((item) => version?.convert(itemType, item) ?? item);
      yield write(columns, items);
    }
  }
  const type = 'text/csv; charset=utf-8; header=present';
  const file = streamedFile(lines(), { type, name: 'export.csv' });
  return file;
}

const withName = (column: string): string[] =>
  column === 'account_id' ? [column, 'account_name'] : [column];

const versions = new WeakMap<Readable, ApiVersion>();

/** Makes an export, which has not begun, in a version of the API. */
export function exportIn(version: ApiVersion, file: Readable): void {
  versions.set(file, version);
}

/**
 * The places of a text where a spreadsheet could begin a formula: its start, and what follows a semicolon, a tab or a
 * line break, at which programs split lines in countries with a decimal comma. White space and invisible characters
 * before the formula do not matter to all of them, nor do quotation marks.
 */
const FORMULAS =
  /^(?=[\t\r\n])|(?<=^|[;\t\r\n])(?=(?:(?![\t\r\n])[\s\p{C}\p{Z}\p{DI}\u2800"])*[=+\-@＝＋－＠])/gu;

/** A text for a cell of a CSV file, with an apostrophe before what a spreadsheet would take for a formula. */
export const spreadsheetText = (value: string): string => value.replace(FORMULAS, "'");

/** JSON for a cell of a CSV file. Its semicolons are escaped, since a formula could follow one within a text. */
const spreadsheetJson = (value: object): string => JSON.stringify(value).replaceAll(';', '\\u003b');

/** Objects are JSON, and what is absent is empty. */
function write(columns: readonly string[], items: readonly object[]): string {
  return stringify(items.map(withDecimals), {
    columns: [...columns],
    cast: {
      string: (text, { column }) => (isDecimal(column) ? text : spreadsheetText(text)),
      boolean: String,
      object: spreadsheetJson,
    },
  });
}

/** What is in minor units in the API. A spreadsheet also gets it as a decimal number, such as `-12.50`. */
const amounts = ['amount', 'balance'] as const;

const isDecimal = (column: string | number | undefined): boolean =>
  amounts.some((amount) => column === `${amount}_decimal`);

function withDecimals(item: object): object {
  const values = item as Partial<Record<string, unknown>>;
  const { currency } = values;
  const decimals = amounts.flatMap((amount) => {
    const value = values[amount];
    if (typeof value !== 'number' || typeof currency !== 'string') return [];
    return [[`${amount}_decimal`, decimalAmount(value, currency)] as const];
  });
  return { ...item, ...Object.fromEntries(decimals) };
}

/** The columns of an export, in the order in which the class of its items declares them. */
function listColumns(type: Type): string[] {
  const columns = listMembers(type);
  const decimals = columns.includes('currency')
    ? amounts.filter((amount) => columns.includes(amount)).map((amount) => `${amount}_decimal`)
    : [];
  // Members that several responses have in common are declared before the id.
  const sorted = columns.toSorted((a, b) => Number(b === 'id') - Number(a === 'id'));
  return [...sorted, ...decimals];
}
