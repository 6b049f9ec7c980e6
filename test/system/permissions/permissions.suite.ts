import { Reply } from '../../support/api';
import { documentedOperations, Operation } from '../../support/operations';
import { TestService } from '../../support/service';
import { unrecordedChanges } from '../../support/unrecorded-changes';
import { Cast, Home } from './cast';
import { assertUnique, authenticated, Column, readMatrix, withDerived } from './matrix';
import { permissionsOfModules } from './modules';
import { Permissions, Request } from './request';

/**
 * Tests which callers may use each operation (interface 5 and docs/decisions). Each module lists its rows: one row per
 * operation, and further rows for variations with other results. Each column is one caller.
 *
 * Every request refers to one account that its owner, a user, created: to the account itself, to a resource that it
 * owns (a pending transaction, a pending payment request, an unapplied payment, an active subscription, a live
 * session), or to one of its members.
 *
 *   anon      no token
 *   self      the subject: the user in the path, or the account, logged in with its own email
 *   other     the owner of another account
 *   unlinked    a user without an account
 *   member    another member of the account
 *   owner     the user who owns the account
 *   susp      the owner of a suspended account, about that account, with a token issued after the suspension
 *   closed    a closed account, about itself, with a token issued before the closing
 *   platform  a system that integrates payment rails
 *   admin     a user with the role admin
 *   support   a user with the role support. Its cells follow from those of `admin` (`withDerived` in matrix.ts).
 *   expired   the owner, with an expired access token
 *   revoked   the owner, with the tokens of an ended session
 *   key       an API key of the account; `platkey` is a platform key, `expkey` an expired key and `revkey` a revoked one.
 *             Their cells follow from the others and from the scope of the operation (`withDerived` in matrix.ts).
 *
 * A cell is the status of the response, from which the error code follows:
 *
 *   400 invalid_request   401 unauthorized   403 forbidden   404 not_found   409 conflict
 *   400r invalid_reset_token
 *   401c invalid_credentials    404a account_not_found    404s invalid_session    409b active_subscriptions
 *   200+ the response shows the resource of the row       200- it does not
 *
 * A rejected request, and any request of `other` and `unlinked`, changes nothing under the account. "absent" is a
 * well-formed id that does not exist; "malformed" is not an id.
 *
 * @param callers the columns that are tested
 * @param others the modules whose rows are not tested here
 * @param tested those whose rows are
 */
export function describePermissions(
  start: () => Promise<TestService>,
  callers: readonly Column[],
  others: readonly Permissions[] = [],
  tested: readonly Permissions[] = permissionsOfModules(),
): void {
  describe('Permissions', () => {
    const rows = assertUnique(tested.flatMap(({ matrix }) => readMatrix(matrix)));
    const requests = Object.assign({}, ...tested.map((one) => one.requests)) as Permissions['requests'];

    let service: TestService;
    let operations: Operation[];
    /** The callers of all requests that change nothing. */
    let shared: Cast;
    /** Those of lists, which are read first: once others have created more, a resource may be on a later page. */
    let readers: Cast;

    const newCast = (): Cast => new Cast(service, tested);

    beforeAll(async () => {
      service = await start();
      operations = await documentedOperations(service.url);
      shared = newCast();
      readers = newCast();
      const tables = await service.sql<{ name: string }>(
        `SELECT table_name AS name FROM information_schema.columns
         WHERE table_schema = 'public' AND column_name = 'account_id' AND table_name NOT LIKE 'audit_log%'
           AND table_name <> 'request_log'`,
      );
      const owned = ['accounts t WHERE id', ...tables.map(({ name }) => `${name} t WHERE account_id`)];
      const rows = owned.map((of) => `SELECT (to_jsonb(t) - 'last_used_at')::text AS row FROM ${of} = $1`);
      // Prepared once, because planning it takes longer than running it.
      await service.sql(`PREPARE rows_of_account (text) AS ${rows.join(' UNION ALL ')} ORDER BY row`);
    });
    afterAll(() => service.stop());

    it('are decided for every operation of the OpenAPI document, and for no other', async () => {
      const ids = operations.map(({ id }) => id);
      const decided = [...rows, ...others.flatMap(({ matrix }) => readMatrix(matrix))];
      expect([...new Set(decided.map((row) => row.operationId))].toSorted()).toEqual(ids.toSorted());
    });

    it('have one request for every row', () => {
      expect(Object.keys(requests).toSorted()).toEqual(rows.map((row) => row.label).toSorted());
    });

    const order = (label: string): number => (requests[label]?.shows ? 0 : 1);
    const listsFirst = rows.toSorted((one, other) => order(one.label) - order(other.label));

    it.each(listsFirst.map((row) => [row.label, row] as const))('%s', async (label, row) => {
      const request = requests[label]!;
      const cells = withDerived(
        row,
        operations.find(({ id }) => id === row.operationId)!,
      );
      const reading = request.apart ? newCast() : request.shows ? readers : shared;
      const actual: Partial<Record<Column, string>> = {};
      const changedBy: string[] = [];
      for (const column of callers) {
        const changes = cells[column].startsWith('2') && request.method !== 'GET';
        const { cell, changed } = await call(request, column, changes ? newCast() : reading);
        actual[column] = cell;
        const mayChange = cell.startsWith('2') && column !== 'other' && column !== 'unlinked';
        if (changed && !mayChange) changedBy.push(column);
      }
      expect(line(actual, callers)).toBe(line(cells, callers));
      expect(changedBy).toEqual([]);
    });

    it('change no resource without an event', async () => {
      expect(await unrecordedChanges(service)).toEqual([]);
    });

    /** Calls the operation once. @returns whether anything under the account has changed */
    async function call(
      request: Request,
      column: Column,
      cast: Cast,
    ): Promise<{ cell: string; changed: boolean }> {
      const caller = await cast.caller(column, request.about);
      const home = await cast.homeOf(column);
      const path = await request.path(home);
      const body = await request.body?.(home, caller);
      const shown = await request.shows?.(home);
      const before = request.method === 'GET' ? null : await stateOf(home);
      const reply = await caller.api.call(request.method, path, body && JSON.stringify(body));
      expectReasonOf401(reply, column, path);
      return { cell: cellOf(reply, shown), changed: before !== null && (await stateOf(home)) !== before };
    }

    /** The rows of the database that belong to the account, except records of attempts and times of uses. */
    async function stateOf({ accountId }: Home): Promise<string> {
      return JSON.stringify(await service.sql(`EXECUTE rows_of_account ('${accountId}')`));
    }
  });
}

/** Clients refresh their token on 401, which does not help when the token is valid. The message tells them. */
function expectReasonOf401({ body }: Reply, column: Column, path: string): void {
  if (body.error !== 'unauthorized' || path.startsWith('/v1/auth/')) return;
  const isValid = /^The token is valid, but /.test(body.message);
  expect({ column, isValid }).toEqual({ column, isValid: authenticated.includes(column) });
}

const codes: Readonly<Record<number, string>> = {
  400: 'invalid_request',
  401: 'unauthorized',
  403: 'forbidden',
  404: 'not_found',
  409: 'conflict',
};
const markedCodes: Readonly<Record<string, string>> = {
  invalid_credentials: 'c',
  invalid_reset_token: 'r',
  account_not_found: 'a',
  invalid_session: 's',
  active_subscriptions: 'b',
};

/** A response as a cell of the table. */
function cellOf({ status, body, text }: Reply, shown?: string): string {
  if (status < 300) return shown === undefined ? `${status}` : `${status}${text.includes(shown) ? '+' : '-'}`;
  return `${status}${codes[status] === body.error ? '' : (markedCodes[body.error] ?? ` ${body.error}`)}`;
}

function line(cells: Partial<Record<Column, string>>, callers: readonly Column[]): string {
  return callers.map((column) => `${column} ${cells[column]}`).join(' | ');
}
