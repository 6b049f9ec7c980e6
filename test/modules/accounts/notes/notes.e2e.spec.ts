import { randomUUID } from 'node:crypto';
import { anOperator, anOwner, aUser, created, Owner, Person, theAdmin } from '../../../support/people';
import { startTestService, TestService } from '../../../support/service';

describe('Notes', () => {
  let service: TestService;
  let admin: Person;
  let owner: Owner;
  beforeAll(async () => {
    service = await startTestService();
    admin = await theAdmin(service.api);
    owner = await anOwner(service.api);
  });
  afterAll(() => service.stop());

  const ofAccount = ({ accountId }: Owner) => `/v1/accounts/${accountId}/notes`;
  const ofUser = ({ id }: Person) => `/v1/users/${id}/notes`;
  const stored = (objectId: string) =>
    service.sql<{ text: string }>('SELECT text FROM notes WHERE object_id = $1', [objectId]);

  it.each([
    ['an account', () => [owner.accountId, ofAccount(owner)] as const],
    ['a user', () => [owner.id, ofUser(owner)] as const],
  ])('about %s are read by the whole back office, newest first', async (_, subject) => {
    const [object_id, path] = subject();
    const text = 'Called twice.\n\u00dcberweisung \u{1f4b6} is missing.';
    const first = await created(admin.api, path, { text });
    expect(first).toEqual({
      id: expect.stringMatching(/^note_/),
      object_id,
      author_id: admin.id,
      text,
      created_at: expect.stringMatching(/^\d{4}-.*Z$/),
    });
    service.clock.move({ seconds: 1 });
    const second = await created(admin.api, path, { text: 'Mended.' });
    const support = await anOperator(service.api, 'support');
    const third = await created(support.api, path, { text: 'Called back.' });
    expect(third.author_id).toBe(support.id);
    expect((await support.api.delete(`${path}/${first.id}`)).status).toBe(403);
    expect((await support.api.get(path)).body).toEqual({
      object: 'list',
      data: [third, second, first],
      has_more: false,
    });
  });

  it('are listed in pages, both ways', async () => {
    const other = await anOwner(service.api);
    const ids: string[] = [];
    for (let number = 0; number < 5; number += 1) {
      ids.unshift((await created(admin.api, ofAccount(other), { text: `${number}` })).id);
      service.clock.move({ seconds: 1 });
    }
    const page = async (query: string): Promise<[string[], boolean]> => {
      const { data, has_more } = (await admin.api.get(`${ofAccount(other)}?${query}`)).body;
      return [data.map(({ id }: { id: string }) => id), has_more];
    };
    expect(await page('limit=2')).toEqual([ids.slice(0, 2), true]);
    expect(await page(`limit=3&starting_after=${ids[1]}`)).toEqual([ids.slice(2), false]);
    expect(await page(`limit=2&ending_before=${ids[3]}`)).toEqual([ids.slice(1, 3), true]);
    const foreign = (await created(admin.api, ofAccount(owner), { text: 'Another' })).id;
    expect(await page(`limit=2&starting_after=${foreign}`)).toEqual([ids.slice(0, 2), true]);
    await admin.api.delete(`${ofAccount(other)}/${ids[1]}`);
    expect(await page(`starting_after=${ids[1]}`)).toEqual([ids.slice(2), false]);
    for (const query of [
      `starting_after=${other.accountId}`,
      `starting_after=${ids[0]}&ending_before=${ids[1]}`,
    ])
      expect((await admin.api.get(`${ofAccount(other)}?${query}`)).body.error).toBe('invalid_request');
  });

  it.each([[''], ['x'.repeat(2001)], [7], [null]])('have 1 to 2,000 characters: not %j', async (text) => {
    const { status, body } = await admin.api.post(ofAccount(owner), { text });
    expect([status, body.error]).toEqual([400, 'invalid_request']);
  });

  it('may have 2,000 characters, which are counted as people count them', async () => {
    const text = '\u{1f4b6}'.repeat(2000);
    expect((await created(admin.api, ofAccount(owner), { text })).text).toBe(text);
  });

  it('are written once however often the request is repeated', async () => {
    const other = await anOwner(service.api);
    const headers = { 'idempotency-key': randomUUID() };
    const replies = await Promise.all(
      Array.from({ length: 5 }, () => admin.api.post(ofAccount(other), { text: 'Once' }, { headers })),
    );
    expect(new Set(replies.map(({ text }) => text)).size).toBe(1);
    expect(await stored(other.accountId)).toHaveLength(1);
  });

  it('are recorded in the audit log without their text, as are reads of them', async () => {
    const other = await anOwner(service.api);
    const { id } = await created(admin.api, ofAccount(other), { text: 'A secret remark' });
    await admin.api.get(ofAccount(other));
    await admin.api.delete(`${ofAccount(other)}/${id}`);
    const { data } = (await admin.api.get(`/v1/audit-log?account_id=${other.accountId}`)).body;
    const shown = data.map(({ action, object_id }: Record<string, string>) => [action, object_id]);
    expect(shown.slice(0, 3)).toEqual([
      ['note.delete', id],
      ['account.read', other.accountId],
      ['note.create', id],
    ]);
    expect(JSON.stringify(data)).not.toContain('A secret remark');
  });

  it('are deleted one by one, by any admin, under their own account only', async () => {
    const other = await anOwner(service.api);
    const { id } = await created(admin.api, ofAccount(other), { text: 'Wrong account' });
    const colleague = await anOperator(service.api, 'admin');
    const elsewhere = await colleague.api.delete(`${ofAccount(owner)}/${id}`);
    expect([elsewhere.status, elsewhere.body.error]).toEqual([404, 'not_found']);
    const { status, body } = await colleague.api.delete(`${ofAccount(other)}/${id}`);
    expect({ status, body }).toEqual({ status: 200, body: { message: 'The note was deleted.', id } });
    expect(await stored(other.accountId)).toEqual([]);
    expect((await colleague.api.delete(`${ofAccount(other)}/${id}`)).status).toBe(404);
  });

  it('about a user are deleted with the user, those about a closed account stay', async () => {
    const other = await anOwner(service.api);
    await created(admin.api, ofUser(other), { text: 'About the user' });
    await created(admin.api, ofAccount(other), { text: 'About the account' });
    await admin.api.delete(`/v1/accounts/${other.accountId}`); // deletes its users
    expect(await stored(other.id)).toEqual([]);
    expect((await admin.api.get(ofAccount(other))).body.data).toHaveLength(1);
    await created(admin.api, ofAccount(other), { text: 'Asked about the closing' });
  });

  it('never outlive a user who is deleted at the same time', async () => {
    for (let round = 0; round < 10; round += 1) {
      const user = await aUser(service.api);
      const [note] = await Promise.all([
        admin.api.post(ofUser(user), { text: 'Too late?' }),
        admin.api.delete(`/v1/users/${user.id}`),
      ]);
      expect([201, 404]).toContain(note.status);
      expect(await stored(user.id)).toEqual([]);
    }
  });

  it('are in no event, so that they reach no webhook', async () => {
    await created(admin.api, ofAccount(owner), { text: 'Never delivered' });
    const events = await service.sql('SELECT object FROM events');
    expect(JSON.stringify(events)).not.toContain('Never delivered');
  });
});
