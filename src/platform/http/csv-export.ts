import { StreamableFile, Type } from '@nestjs/common';
import { stringify } from 'csv-stringify/sync';
import { Readable } from 'node:stream';
import { DomainError } from '../../kernel/domain-error';
import { ListFormat } from './list-query';

/** How many items are read at a time. */
const BATCH = 1_000;

/** Emitted by the stream of an export when the client has taken what was sent. */
export const PROGRESS = 'progress';

type Item = Readonly<Record<string, unknown>>;
interface ItemPage {
  readonly data: readonly object[];
  readonly has_more: boolean;
}
interface ExportQuery {
  readonly format?: ListFormat;
  readonly amount_min?: number;
  readonly amount_max?: number;
  readonly [parameter: string]: unknown;
}

type Lists<Controller> = {
  [Name in keyof Controller]: Controller[Name] extends (...args: never[]) => Promise<ItemPage> ? Name : never;
}[keyof Controller];

/**
 * Makes a method of a controller, a cursor list, return all of its items as CSV when the query says `format=csv`: page
 * after page, each when the client has taken the one before. So an export of any length takes the same memory, and holds
 * no connection of the database while the client reads. The last parameter of the method is the query; its operation
 * declares `text/csv`.
 * @param response its class, made with CursorListResponse, whose items have the columns
 */
export function exportAsCsv<Controller extends object>(
  controller: Type<Controller>,
  name: Lists<Controller> & string,
  { itemTypes }: { readonly itemTypes: readonly Type[] },
): void {
  const prototype = controller.prototype as Controller;
  const list = prototype[name] as (...args: unknown[]) => Promise<ItemPage>;
  async function listOrExport(this: Controller, ...args: unknown[]): Promise<ItemPage | StreamableFile> {
    const { format, ...query } = args.at(-1) as ExportQuery;
    const read = (members: object): Promise<ItemPage> =>
      list.apply(this, [...args.slice(0, -1), { ...query, ...members }]);
    if (format !== 'csv') return read({});
    if (query.ending_before !== undefined)
      throw new DomainError('invalid_request', 'An export takes starting_after only.');
    const itemType = itemTypes[query.view === 'full' ? itemTypes.length - 1 : 0]!;
    return csvOf(columnsOf(itemType), query, read);
  }
  for (const key of Reflect.getMetadataKeys(list) as unknown[])
    Reflect.defineMetadata(key, Reflect.getMetadata(key, list), listOrExport);
  // Nest finds the parameters of a method by its name.
  Object.defineProperty(listOrExport, 'name', { value: name });
  Object.defineProperty(prototype, name, { value: listOrExport, configurable: true, writable: true });
}

/** The first page is read before the response begins, so that an error has its status. */
async function csvOf(
  columns: readonly string[],
  { amount_min = -Infinity, amount_max = Infinity }: ExportQuery,
  read: (members: object) => Promise<ItemPage>,
): Promise<StreamableFile> {
  // An export reads all items of a range of amounts, which pages find only within bounds.
  const next = (cursor: object): Promise<ItemPage> =>
    read({ amount_min: undefined, amount_max: undefined, ...cursor, limit: BATCH });
  const isInRange = (item: object): boolean => {
    const { amount } = item as Item;
    return typeof amount !== 'number' || (amount >= amount_min && amount <= amount_max);
  };
  const first = await next({});
  async function* lines(): AsyncIterable<string> {
    yield stringify([columns]);
    for (let page = first; ;) {
      yield write(columns, page.data.filter(isInRange));
      stream.emit(PROGRESS);
      const last = page.data.at(-1) as Item | undefined;
      if (!page.has_more || last === undefined) return;
      page = await next({ starting_after: String(last.id ?? last.number) });
    }
  }
  const stream = Readable.from(lines(), { highWaterMark: 1 });
  return new StreamableFile(stream, {
    type: 'text/csv; charset=utf-8; header=present',
    disposition: 'attachment; filename="export.csv"',
  });
}

/** What a spreadsheet would take for a formula. */
const FORMULA = /^[=+\-@\t\r＝＋－＠]/;

/** Texts that begin like a formula get an apostrophe before it, objects are JSON, and what is absent is empty. */
function write(columns: readonly string[], items: readonly object[]): string {
  const text = (value: string): string => (FORMULA.test(value) ? `'${value}` : value);
  return stringify([...items], {
    columns: [...columns],
    cast: { string: text, boolean: String, object: (value: object) => JSON.stringify(value) },
  });
}

/** The members of a response class, in the order of their declaration, as Swagger keeps them. */
function columnsOf(type: Type): string[] {
  const members = Reflect.getMetadata(
    'swagger/apiModelPropertiesArray',
    type.prototype as object,
  ) as string[];
  return members.map((member) => member.slice(1));
}
