import { Api, Reply } from '../../support/api';
import { anOwner, created, logIn, Owner, theAdmin } from '../../support/people';
import { aSubscription, aTransaction } from '../../support/request-bodies';
import { untilOneWaits } from '../../support/lock-waits';
import { startTestService, TestService } from '../../support/service';

interface Change {
  /** Creates the item. @returns its path */
  readonly create: (owner: Owner) => Promise<string>;
  readonly send: (api: Api, path: string) => Promise<Reply>;
}

const annotation: Change = {
  create: async ({ api, accountId }) =>
    `/v1/transactions/${(await created(api, '/v1/transactions', aTransaction(accountId))).id}`,
  send: (api, path) => api.patch(path, { reference: 'invoice-7' }),
};

const cancellation: Change = {
  create: async ({ api, accountId }) =>
    `/v1/subscriptions/${(await created(api, '/v1/subscriptions', aSubscription(accountId))).id}`,
  send: (api, path) => api.delete(path),
};

describe.each([
  ['The annotation of a transaction', annotation],
  ['The cancellation of a subscription', cancellation],
])('%s', (_, { create, send }) => {
  let service: TestService;
  beforeAll(async () => {
    service = await startTestService();
  });
  afterAll(() => service.stop());

  it("waits for the account's lock, under which the id of its event is issued", async () => {
    const owner = await anOwner(service.api);
    const path = await create(owner);
    await service.sql('BEGIN');
    await service.sql('SELECT FROM accounts WHERE id = $1 FOR UPDATE', [owner.accountId]);
    const changed = send(owner.api, path);
    await untilOneWaits(service);
    await service.sql('ROLLBACK');
    expect((await changed).status).toBe(200);
  });

  it('is forbidden to the users of a suspended account, but not to operators', async () => {
    const [owner, admin] = [await anOwner(service.api), await theAdmin(service.api)];
    const path = await create(owner);
    await admin.api.patch(`/v1/accounts/${owner.accountId}`, { status: 'suspended' });
    const { api } = await logIn(service.api, owner.email);
    expect(await send(api, path)).toMatchObject({ status: 403, body: { error: 'forbidden' } });
    expect(await send(admin.api, path)).toMatchObject({ status: 200 });
  });
});
