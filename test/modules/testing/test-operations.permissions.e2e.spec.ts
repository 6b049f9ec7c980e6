import { describeOnOneServer } from '../../support/citus';
import { startTestService, TestService } from '../../support/service';
import { documentedOperations } from '../../support/operations';
import { Cast } from '../../system/permissions/cast';
import { columns, derivedColumns, readMatrix } from '../../system/permissions/matrix';
import { permissionsOfModules } from '../../system/permissions/modules';
import { describePermissions } from '../../system/permissions/permissions.suite';
import { permissions } from './test-operations.permissions';

const callers = [...columns, ...derivedColumns];

describeOnOneServer('With TEST_OPERATIONS', 'they empty the tables of one server', () => {
  // The admin comes last, because nobody else is left after a reset.
  const withAdminLast = [...callers.filter((column) => column !== 'admin'), 'admin' as const];
  const others = permissionsOfModules();
  describePermissions(() => startTestService(permissions.settings), withAdminLast, others, [permissions]);
});

describe('Without TEST_OPERATIONS', () => {
  const rows = readMatrix(permissions.matrix);
  let service: TestService;
  let cast: Cast;

  beforeAll(async () => {
    service = await startTestService();
    cast = new Cast(service, []);
  });
  afterAll(() => service.stop());

  it.each(rows.map(({ label }) => label))('nobody can call %s', async (label) => {
    const { method, path, body, about } = permissions.requests[label]!;
    const statuses: Record<string, string> = {};
    for (const column of callers) {
      const caller = await cast.caller(column, about);
      const home = await cast.homeOf(column);
      const content = JSON.stringify(await body?.(home, caller));
      const reply = await caller.api.call(method, await path(home), content);
      statuses[column] = `${reply.status} ${reply.body.error}`;
    }
    expect(statuses).toEqual(Object.fromEntries(callers.map((column) => [column, '404 not_found'])));
  });

  it('the OpenAPI document does not have them', async () => {
    const ids = (await documentedOperations(service.url)).map(({ id }) => id);
    expect(ids.filter((id) => rows.some(({ operationId }) => operationId === id))).toEqual([]);
    expect(await (await fetch(`${service.url}/openapi.json`)).text()).not.toContain('Test operations');
  });
});
