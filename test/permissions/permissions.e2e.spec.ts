import { Reply } from '../support/api';
import { startTestService, TestService } from '../support/service';
import { Cast, Home } from './cast';
import { Column, columns, matrix, readMatrix, Row } from './matrix';
import { Request, requests } from './requests';

const rows = readMatrix(matrix);

describe('Who may do what', () => {
  let service: TestService;
  /** Everyone for the cells that change nothing: those that are refused or only read. */
  let shared: Cast;

  beforeAll(async () => {
    service = await startTestService();
    shared = new Cast(service);
  });
  afterAll(() => service.stop());

  it('is decided for every operation of the OpenAPI document, and for no other', async () => {
    const { paths } = (await (await fetch(`${service.url}/openapi.json`)).json()) as OpenApi;
    const operations = Object.values(paths).flatMap((methods) =>
      Object.values(methods).map(({ operationId }) => operationId),
    );
    expect([...new Set(rows.map((row) => row.operationId))].toSorted()).toEqual(operations.toSorted());
  });

  it('has a request for every row, and no other', () => {
    expect(Object.keys(requests)).toEqual(rows.map((row) => row.label));
  });

  it('cannot leave a cell out or decide a row twice', () => {
    const heading = ` ${columns.join(' ')}\n`;
    const full = `  getUser ${'404 '.repeat(columns.length)}\n`;
    expect(readMatrix(heading + full)).toHaveLength(1);
    expect(() => readMatrix(`${heading}  getUser ${'404 '.repeat(columns.length - 1)}\n`)).toThrow(
      'is no row of the table',
    );
    expect(() => readMatrix(heading + full + full)).toThrow('stands in the table twice');
    expect(() => readMatrix(heading.replace('admin', 'root') + full)).toThrow('The columns are not');
  });

  it.each(rows.map((row) => [row.label, row] as const))('%s', async (label, row) => {
    const request = requests[label]!;
    // What a list shows may stand on a later page once many others came; so lists are played by a cast of their own.
    const still = request.shows || request.apart ? new Cast(service) : shared;
    const wrong: string[] = [];
    const actual: Partial<Record<Column, string>> = {};
    for (const column of columns) {
      const changes = row.cells[column].startsWith('2') && request.method !== 'GET';
      const { cell, touched } = await play(request, column, changes ? new Cast(service) : still);
      actual[column] = cell;
      if (touched && (!cell.startsWith('2') || column === 'other' || column === 'untied')) wrong.push(column);
    }
    expect(line(actual)).toBe(line(row.cells));
    expect(wrong).toEqual([]);
  });

  /** Calls the operation once, and sees whether it changed anything of what it is about. */
  async function play(
    request: Request,
    column: Column,
    cast: Cast,
  ): Promise<{ cell: string; touched: boolean }> {
    const caller = await cast.caller(column, request.about);
    const home = await cast.homeOf(column);
    const path = await request.path(home);
    const body = await request.body?.(home, caller);
    const shown = await request.shows?.(home);
    const before = request.method === 'GET' ? null : await footprint(home);
    const reply = await caller.api.call(request.method, path, body && JSON.stringify(body));
    return { cell: cellOf(reply, shown), touched: before !== null && (await footprint(home)) !== before };
  }

  /** All that is stored of an account, its people and what it owns. */
  async function footprint({ accountId }: Home): Promise<string> {
    const owned = [
      'users',
      'credentials',
      'transactions',
      'payment_requests',
      'late_payments',
      'subscriptions',
      'sessions',
    ];
    const found = ['accounts t WHERE id', ...owned.map((table) => `${table} t WHERE account_id`)];
    const sql = found.map((of) => `SELECT t::text AS row FROM ${of} = $1`).join(' UNION ALL ');
    return JSON.stringify(await service.sql(`${sql} ORDER BY row`, [accountId]));
  }
});

interface OpenApi {
  readonly paths: Record<string, Record<string, { readonly operationId: string }>>;
}

const plainCodes: Readonly<Record<number, string>> = {
  400: 'invalid_request',
  401: 'unauthorized',
  403: 'forbidden',
  404: 'not_found',
  409: 'conflict',
};
const markedCodes: Readonly<Record<string, string>> = {
  invalid_credentials: 'c',
  account_not_found: 'a',
  invalid_session: 's',
  active_subscriptions: 'b',
};

/** A reply as a cell of the table. */
function cellOf({ status, body, text }: Reply, shown?: string): string {
  if (status < 300) return shown === undefined ? `${status}` : `${status}${text.includes(shown) ? '+' : '-'}`;
  return `${status}${plainCodes[status] === body.error ? '' : (markedCodes[body.error] ?? ` ${body.error}`)}`;
}

function line(cells: Partial<Row['cells']>): string {
  return columns.map((column) => `${column} ${cells[column]}`).join(' | ');
}
