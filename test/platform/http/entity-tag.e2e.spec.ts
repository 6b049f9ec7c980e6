import { anAccount, anOperator, aUser, Owner, Person, theAdmin } from '../../support/people';
import { Reply } from '../../support/api';
import { startTestService, TestService } from '../../support/service';

let service: TestService;
let first: Person;
let second: Person;
let account: Owner;
let user: Person;

beforeAll(async () => {
  service = await startTestService();
  first = await theAdmin(service.api);
  second = await anOperator(service.api, 'admin');
});
beforeEach(async () => {
  account = await anAccount(service.api);
  user = await aUser(service.api);
});
afterAll(() => service.stop());

const tagOf = ({ headers }: Reply): string => headers.get('etag')!;
const suspend = (by: Person, path: string, reason: string, tag: string) =>
  by.api.patch(path, { status: 'suspended', reason }, { headers: { 'if-match': tag } });

const paths = () => [
  { path: `/v1/accounts/${account.accountId}`, action: 'account.suspend', id: account.accountId },
  { path: `/v1/users/${user.id}`, action: 'user.suspend', id: user.id },
];

describe('ETag and If-Match', () => {
  it('let one of two admins change an account or a user who have read the same version', async () => {
    for (const { path, action, id } of paths()) {
      const tag = tagOf(await first.api.get(path));
      const replies = await Promise.all([
        suspend(first, path, 'By the first', tag),
        suspend(second, path, 'By the second', tag),
      ]);
      expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 412]);
      expect(replies.find(({ status }) => status === 412)!.body).toEqual({
        error: 'precondition_failed',
        message: expect.stringContaining('Read it again.'),
      });
      const { data } = (await first.api.get(`/v1/audit-log?object_id=${id}&action=${action}`)).body;
      expect(data).toHaveLength(1);
    }
  });

  it('name the version by updated_at, and another one after each change', async () => {
    for (const { path } of paths()) {
      const read = await first.api.get(path);
      expect(tagOf(read)).toBe(`"${read.body.updated_at}"`);
      const changed = await first.api.patch(path, { name: 'Lovelace & King' });
      expect(tagOf(changed)).not.toBe(tagOf(read));
      expect((await suspend(first, path, 'Fraud', tagOf(read))).status).toBe(412);
      expect((await suspend(first, path, 'Fraud', tagOf(changed))).status).toBe(200);
    }
  });

  it('protect closing, deleting and the changes of owners', async () => {
    const stale = { headers: { 'if-match': '"2026-01-01T00:00:00.000Z"' } };
    const own = await account.api.get('/v1/account');
    expect((await account.api.patch('/v1/account', { name: 'King' }, stale)).status).toBe(412);
    for (const { path } of paths()) {
      expect((await first.api.delete(path, undefined, stale)).status).toBe(412);
      const current = { headers: { 'if-match': tagOf(await first.api.get(path)) } };
      expect((await first.api.delete(path, undefined, current)).status).toBe(200);
    }
    expect(tagOf(own)).toBe(`"${own.body.updated_at}"`);
  });

  it.each(['*', '"other", TAG', 'W/TAG'])('accept If-Match: %s', async (header) => {
    const path = `/v1/users/${user.id}`;
    const tag = tagOf(await first.api.get(path));
    expect((await suspend(first, path, 'Fraud', header.replace('TAG', tag))).status).toBe(200);
  });

  it.each(['', '2026-01-01T00:00:00.000Z', '"open', '*, "a"'])('reject If-Match: %s', async (header) => {
    const { status, body } = await suspend(first, `/v1/users/${user.id}`, 'Fraud', header);
    expect([status, body.error]).toEqual([400, 'invalid_request']);
  });
});
