import { aUser, anAccount, anOwner, created, logIn, theAdmin } from '../support/people';
import { clientOf } from '../support/client';
import { documentedOperations, Operation } from '../support/operations';
import { aPaymentRequest, aSubscription, aTransaction } from '../support/request-bodies';
import { ADMIN, startTestService, TestService } from '../support/service';

/** More than a list of the test contains: a walk that does not end exceeds it. */
const MANY = 1_000;

describe('client.list()', () => {
  let service: TestService;
  /** Walks a list to its end. */
  let walk: (path: string, query: object) => Promise<unknown[]>;
  let lists: Operation[];

  beforeAll(async () => {
    service = await startTestService();
    lists = (await documentedOperations(service.url)).filter(
      ({ method, queryParameters }) => method === 'GET' && queryParameters.includes('limit'),
    );
    const { api } = service;
    const [admin, owner, account] = [await theAdmin(api), await anOwner(api), await anAccount(api)];
    await anAccount(api);
    const { accountId } = owner;
    const { id: webhook_id } = await created(owner.api, '/v1/webhooks', { url: `${service.url}/hooks` });
    for (let count = 0; count < 3; count += 1) {
      const user = await aUser(api);
      for (const { email } of [owner, account]) await logIn(api, email);
      await created(owner.api, '/v1/transactions', aTransaction(accountId, { type: 'credit' }));
      await created(owner.api, '/v1/subscriptions', aSubscription(accountId));
      await created(admin.api, '/v1/transfers', {
        from_account_id: accountId,
        to_account_id: account.accountId,
        amount: 1,
        currency: 'USD',
      });
      const { id } = await created(owner.api, '/v1/payments', aPaymentRequest(accountId));
      await created(admin.api, `/v1/payments/${id}/unapplied-payments`, { amount: 1 });
      await created(owner.api, '/v1/webhooks', { url: `${service.url}/hooks` });
      await created(owner.api, '/v1/api-keys', { name: 'Web shop' });
      for (const noted of [`accounts/${account.accountId}`, `users/${owner.id}`])
        await created(admin.api, `/v1/${noted}/notes`, { text: 'Called on Monday.' });
      const terms = { direction: 'credit', amount: 5, currency: 'USD', reason: 'A fee, paid back' };
      await created(admin.api, `/v1/accounts/${accountId}/adjustments`, terms);
      const approval = { type: 'make_admin', object_id: user.id, reason: 'As agreed.' };
      await created(admin.api, '/v1/approvals', approval);
      const view = { page: 'payments', name: `View ${count}`, query: { status: 'pending' } };
      await created(admin.api, '/v1/saved-views', view);
    }
    await service.runDueTasks();

    const clients = { owner: clientOf(service, owner), admin: clientOf(service, ADMIN) };
    const ofOwner = ['/v1/account/entries', '/v1/api-keys', '/v1/auth/sessions'];
    walk = async (path, query) => {
      const client =
        ofOwner.includes(path) || path.startsWith('/v1/webhooks/') ? clients.owner : clients.admin;
      const isAccountWithSessions = path.endsWith('/sessions') || path.endsWith('/notes');
      const params = {
        path: {
          account_id: isAccountWithSessions ? account.accountId : accountId,
          user_id: owner.id,
          webhook_id,
        },
        query,
      };
      const items: unknown[] = [];
      for await (const item of client.list(path as '/v1/transactions', { params } as never)) {
        items.push(item);
        if (items.length === MANY) throw new Error(`The walk of ${path} does not end.`);
      }
      return items;
    };
  });
  afterAll(() => service.stop());

  it('ends for every list, and returns each item once', async () => {
    expect(lists.length).toBeGreaterThan(18);
    for (const { path } of lists) {
      await walk(path, { limit: 100 }); // what it adds to the audit log is added once
      const all = await walk(path, { limit: 100 });
      expect([path, all.length > 2]).toEqual([path, true]);
      expect(new Set(all.map((item) => JSON.stringify(item))).size).toBe(all.length);
      expect(await walk(path, { limit: 2 })).toEqual(all);
      expect(await walk(path, { limit: all.length })).toEqual(all);
    }
  });

  it('walks every cursor list towards newer items too', async () => {
    const cursorLists = lists.filter(({ queryParameters }) => queryParameters.includes('ending_before'));
    expect(cursorLists.length).toBeGreaterThan(12);
    for (const { path } of cursorLists) {
      const all = (await walk(path, { limit: 100 })) as { readonly id: string }[];
      const newer = await walk(path, { limit: 2, ending_before: all.at(-1)!.id });
      expect(newer).toEqual(all.slice(0, -1).toReversed());
    }
  });
});
