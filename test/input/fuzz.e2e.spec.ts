import fc from 'fast-check';
import { Api, Reply } from '../support/api';
import { aPaymentRequest, aSubscription, aTransaction } from '../support/movements';
import { anOwner, aUser, created, Owner, someEmail, theAdmin } from '../support/people';
import { documentedOperations, Operation } from '../support/operations';
import { rounds, SEED } from '../support/rounds';
import { startTestService, TestService } from '../support/service';

/** How many requests one principal sends before a new one takes over: some of them end their own session. */
const REQUESTS_PER_PRINCIPAL = 25;

interface Draft {
  readonly operation: Operation;
  readonly path: string;
  readonly body: string | undefined;
  /** Whether the body is one that no operation may accept. */
  readonly wrong: boolean;
}

/** Requests made from the published document, right and wrong; every answer is held against the same document. */
describe(`Requests at random from the OpenAPI document (seed ${SEED})`, () => {
  let service: TestService;
  let operations: Operation[];

  beforeAll(async () => {
    service = await startTestService();
    operations = await documentedOperations(service.url);
  });
  afterAll(() => service.stop());

  const junk = fc.oneof(
    fc.jsonValue({ maxDepth: 3 }),
    fc.string({ unit: 'binary', maxLength: 300 }),
    fc.constantFrom(
      '',
      ' ',
      '%',
      "'",
      '\\',
      '0',
      -1,
      1.5,
      2 ** 53 - 1,
      2 ** 53,
      1e300,
      '1',
      'USD',
      'active',
      'payment',
      '2026-01-31',
      '{{7*7}}',
      '../../etc/passwd',
      '$(id)',
      '<script>',
      '\u202e',
      '\0',
      '\ud800',
    ),
  );

  /** Values that operations know, ids of things that exist among them. */
  const likely = (ids: string[]): fc.Arbitrary<unknown> =>
    fc.oneof(
      fc.constantFrom(...ids),
      fc.constantFrom('USD', 'EUR', 'business', 'payment', 'credit', 'refund', 'pending', 'active', null),
      fc.integer({ min: 1, max: 5000 }),
      fc.constant({ a: 1 }),
    );

  function drafts(ids: string[], owner: Owner): fc.Arbitrary<Draft> {
    return fc.constantFrom(...operations).chain((operation) => {
      const parameter = fc.oneof(
        { weight: 3, arbitrary: fc.constantFrom(...ids) },
        { weight: 1, arbitrary: fc.webSegment() },
      );
      const query = fc.dictionary(
        fc.constantFrom(...operation.queryParameters, 'unknown'),
        fc.oneof(likely(ids), junk).map(String),
        { maxKeys: operation.queryParameters.length > 0 ? 3 : 0, noNullPrototype: true },
      );
      const members = fc.dictionary(
        fc.constantFrom(...Object.keys(operation.body?.members ?? {}), 'unknown'),
        fc.oneof(likely(ids), junk),
        { maxKeys: 3, noNullPrototype: true },
      );
      const sample = {
        ...operation.sample,
        ...('account_id' in operation.sample && { account_id: owner.accountId }),
        ...('email' in operation.sample && { email: someEmail() }),
      };
      return fc
        .tuple(parameter, query, members, fc.boolean())
        .map(([segment, parameters, changes, whole]) => {
          const text =
            operation.body === null ? undefined : JSON.stringify({ ...(whole ? sample : {}), ...changes });
          const missing = operation.body?.required.some((name) => !whole && !(name in changes)) ?? false;
          const search = Object.entries(parameters).map(
            ([name, value]) => `${name}=${encodeURIComponent(value.toWellFormed())}`,
          );
          const path = operation.path.replace(/\{\w+\}/g, () => segment.replace(/^\.*$/, 'x'));
          return {
            operation,
            path: path + (search.length > 0 ? `?${search.join('&')}` : ''),
            body: text,
            wrong: operation.body !== null && ('unknown' in changes || missing),
          };
        });
    });
  }

  /** No answer is a failure of ours, and what is protected says nothing without a token. */
  function judge({ operation, path, body, wrong }: Draft, reply: Reply, anonymous: boolean): void {
    const request = `${operation.method} ${path} ${body ?? ''} answered ${reply.status} ${reply.text}`;
    if (reply.status >= 500) throw new Error(request);
    if (wrong && reply.status < 400) throw new Error(`Accepted: ${request}`);
    if (anonymous && operation.protected && reply.status !== 401 && reply.body.error !== 'invalid_request')
      throw new Error(`Open: ${request}`);
    if (
      reply.status >= 400 &&
      Object.keys(reply.body as object)
        .toSorted()
        .join() !== 'error,message'
    )
      throw new Error(`Shape: ${request}`);
  }

  async function things(owner: Owner): Promise<string[]> {
    const transaction = await created(
      owner.api,
      '/v1/transactions',
      aTransaction(owner.accountId, { type: 'credit', amount: 10_000 }),
    );
    const pending = await created(owner.api, '/v1/transactions', aTransaction(owner.accountId));
    const request = await created(owner.api, '/v1/payments', aPaymentRequest(owner.accountId));
    const subscription = await created(owner.api, '/v1/subscriptions', aSubscription(owner.accountId));
    const stranger = await aUser(service.api);
    const { api } = await theAdmin(service.api);
    const late = await created(api, `/v1/payments/${request.id}/late-payments`, { amount: 1 });
    return [
      owner.id,
      owner.accountId,
      transaction.id,
      pending.id,
      request.id,
      subscription.id,
      late.id,
      stranger.id,
    ];
  }

  it.each(['nobody', 'an owner', 'an admin'])(
    'by %s: no 5xx, and every answer as documented',
    async (who) => {
      for (let round = 0; round < rounds(8); round += 1) {
        const owner = await anOwner(service.api);
        const ids = await things(owner);
        const api: Api =
          who === 'nobody' ? service.api : who === 'an owner' ? owner.api : (await theAdmin(service.api)).api;
        await fc.assert(
          fc.asyncProperty(drafts(ids, owner), async (draft) => {
            const { operation, path, body } = draft;
            judge(draft, await api.call(operation.method, path, body), who === 'nobody');
          }),
          { numRuns: REQUESTS_PER_PRINCIPAL, seed: SEED + round, endOnFailure: true },
        );
      }
    },
  );

  it('what is deleted or closed answers no more', async () => {
    const admin = (await theAdmin(service.api)).api;
    const owner = await anOwner(service.api);
    const ids = await things(owner);
    const user = await aUser(service.api);
    expect((await user.api.delete(`/v1/users/${user.id}`)).status).toBe(200);
    expect((await owner.api.delete(`/v1/subscriptions/${ids[5]}`)).status).toBe(200);
    expect((await owner.api.delete('/v1/account')).status).toBe(200);
    for (const { api } of [user, owner]) {
      for (const operation of operations.filter((one) => one.protected)) {
        const path = operation.path.replace(/\{\w+\}/g, ids[2]!);
        const reply = await api.call(
          operation.method,
          path,
          operation.body ? JSON.stringify(operation.sample) : undefined,
        );
        expect([operation.id, reply.status]).toEqual([operation.id, 401]);
      }
    }
    expect((await admin.get(`/v1/users/${user.id}`)).status).toBe(404);
    expect((await admin.delete(`/v1/users/${user.id}`)).status).toBe(404);
  });
});
