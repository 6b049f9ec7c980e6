import { documentedOperations, Operation, pathOf } from '../../support/operations';
import { anOwner, theAdmin } from '../../support/people';
import { SEED } from '../../support/rounds';
import { startTestService, TestService } from '../../support/service';
import { LIMIT_MS, repetitions, report } from '../faults/support/form';
import {
  aDeletedUser,
  callers,
  CALLS_PER_ROUND,
  closeAccount,
  itemsOf,
  newTally,
  runCalls,
} from './run-calls';

jest.setTimeout(LIMIT_MS);

/** Rounds of each caller. The long form makes 100,000 calls. */
const ROUNDS = repetitions({ short: 6, long: Math.ceil(100_000 / callers.length / CALLS_PER_ROUND) });

/** Makes valid and invalid calls that are generated from the OpenAPI document, which also decides which are valid. */
describe(`Generated calls (seed ${SEED})`, () => {
  let service: TestService;
  let operations: Operation[];

  beforeAll(async () => {
    service = await startTestService();
    operations = await documentedOperations(service.url);
  });
  afterAll(() => service.stop());

  it('get documented responses: no 5xx, no success of an invalid call, no access without a valid token', async () => {
    const tally = newTally();
    const violations: string[] = [];
    await Promise.all(
      callers.map(async (who, caller) => {
        for (let round = 0; round < ROUNDS; round += 1) {
          const seed = SEED + round * callers.length + caller;
          await runCalls(service, operations, who, seed, tally).catch(({ message }: Error) =>
            violations.push(message),
          );
          // The limit of failed logins would reject the logins of later rounds.
          if (caller === 0) await service.sql('DELETE FROM shared_limits');
        }
      }),
    );
    const { calls, invalid, statuses, succeeded } = tally;
    report('generated calls', {
      calls,
      invalid,
      statuses,
      operations: operations.length,
      succeeded: succeeded.size,
      violations: violations.length,
    });
    expect(violations).toEqual([]);
    expect(calls).toBe(ROUNDS * callers.length * CALLS_PER_ROUND);
    expect(invalid).toBeGreaterThan(calls / 5);
    expect(succeeded.size).toBeGreaterThan(operations.length / 2);
  });

  it('get 401 for every protected operation after the user is deleted or the account closed', async () => {
    const owner = await anOwner(service.api);
    const ids = await itemsOf(service, owner);
    const user = await aDeletedUser(service);
    await closeAccount(service, owner);
    for (const { api } of [user, owner]) {
      for (const operation of operations.filter((one) => one.protected)) {
        const body = operation.body ? JSON.stringify(operation.sample) : undefined;
        const { status } = await api.call(operation.method, pathOf(operation, ids[0]!), body);
        expect([operation.id, status]).toEqual([operation.id, 401]);
      }
    }
    const admin = (await theAdmin(service.api)).api;
    expect((await admin.get(`/v1/users/${user.id}`)).status).toBe(404);
    expect((await admin.delete(`/v1/users/${user.id}`)).status).toBe(404);
  });
});
