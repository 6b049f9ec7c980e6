import { names } from '../../../../console/src/i18n/messages/names/en';
import { nameOf } from '../../../../console/src/i18n/name-of';
import { AUDIT_ENTRIES } from '../../../support/audit-entries';
import { documentedOperations } from '../../../support/operations';
import { TestService } from '../../../support/service';
import { Cast } from '../../../system/permissions/cast';
import { readMatrix, Row } from '../../../system/permissions/matrix';
import { permissionsOfModules, startService } from '../../../system/permissions/modules';
import { Permissions, Request } from '../../../system/permissions/request';

/** Rows whose requests succeed but change nothing. */
const CHANGE_NOTHING = ['updateUser, nothing', 'updateOwnAccount, nothing'];

/** Operations that need no entry: a refresh continues a session, and a requested link changes nothing until its use. A
 * redelivery across endpoints has one for each endpoint whose deliveries it repeats. */
const UNRECORDED = [
  'refreshTokens',
  'requestPasswordReset',
  'requestEmailVerification',
  'redeliverAllFailedWebhooks',
];

const operators = ['admin', 'platform'] as const;

describe('The audit log', () => {
  const modules = permissionsOfModules();
  const requests = Object.assign({}, ...modules.map((one) => one.requests)) as Permissions['requests'];
  const rows = modules.flatMap(({ matrix }) => readMatrix(matrix));

  /** The rows of the permission matrix in which an operator changes something. */
  const changes = operators.flatMap((operator) =>
    rows
      .filter(({ label, operationId, cells }) => {
        const changesSomething = requests[label]!.method !== 'GET' && cells[operator].startsWith('2');
        return changesSomething && !CHANGE_NOTHING.includes(label) && !UNRECORDED.includes(operationId);
      })
      .map((row): [string, string, Row] => [operator, row.label, row]),
  );

  let service: TestService;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.stop());

  it.each(changes)('names the %s, the action and the object of %s', async (operator, label) => {
    const column = operator as (typeof operators)[number];
    const cast = new Cast(service, modules);
    const request: Request = requests[label]!;
    const caller = await cast.caller(column, request.about);
    const home = await cast.homeOf(column);
    const path = await request.path(home);
    const body = await request.body?.(home, caller);
    const requestId = `${operator}-${label.replaceAll(/\W+/g, '-')}`.slice(0, 64);
    const headers = { 'x-request-id': requestId };
    const reply = await caller.api.call(request.method, path, body && JSON.stringify(body), { headers });
    expect(reply.status).toBeLessThan(300);
    const entries = await service.sql<any>(`SELECT * FROM ${AUDIT_ENTRIES} WHERE request_id = $1`, [
      requestId,
    ]);
    expect(entries.length).toBeGreaterThan(0);
    for (const entry of entries) {
      expect(entry).toMatchObject({
        actor_id: expect.stringMatching(/^usr_/),
        actor_role: operator,
        session_id: expect.stringMatching(/^ses_/),
        action: expect.stringMatching(/^[a-z_]+(\.[a-z_]+)?$/),
        object_id: expect.stringMatching(/^[a-z]{2,8}_/),
        outcome: 'succeeded',
      });
      expect(nameOf(names, entry.action)).not.toBe(entry.action); // the console shows a name
    }
  });

  it('covers every operation of the OpenAPI document that an operator may use to change something', async () => {
    const changing = (await documentedOperations(service.url)).filter(
      ({ id, method }) => method !== 'GET' && !UNRECORDED.includes(id),
    );
    const covered = new Set(changes.map(([, , { operationId }]) => operationId));
    const mayNot = (id: string): boolean =>
      rows
        .filter(({ operationId }) => operationId === id)
        .every(({ cells }) => operators.every((operator) => !cells[operator].startsWith('2')));
    const uncovered = changing.filter(({ id }) => !covered.has(id)).map(({ id }) => id);
    expect(uncovered.filter((id) => !mayNot(id))).toEqual([]);
    expect(covered.size).toBeGreaterThan(15);
  });
});
