import { anOperator, anOwner, created, logIn, Owner, PASSWORD, Person, theAdmin } from '../../support/people';
import { aPaymentRequest } from '../../support/request-bodies';
import { startTestService, TestService } from '../../support/service';

// The permission matrix shows which operations are open to the role. This suite shows what a support person does with them.
let service: TestService;
let admin: Person;
let support: Person;
let owner: Owner;

beforeAll(async () => {
  service = await startTestService();
  admin = await theAdmin(service.api);
  support = await anOperator(service.api, 'support');
  owner = await anOwner(service.api);
});
afterAll(() => service.stop());

const aCredit = () => ({ account_id: owner.accountId, amount: 100, currency: 'USD', type: 'credit' });

describe('A support person', () => {
  it('sees the customer’s payment in all lists and in the audit log', async () => {
    const { id } = await created(owner.api, '/v1/transactions', { ...aCredit(), reference: 'order 1' });
    const lists = [
      '/v1/transactions?reference=order+1',
      '/v1/search?q=order+1',
      '/v1/events?object_id=' + id,
    ];
    for (const path of lists) expect((await support.api.get(path)).text).toContain(id);
    for (const path of [
      `/v1/accounts/${owner.accountId}`,
      `/v1/users/${owner.id}`,
      '/v1/users',
      '/v1/audit-log',
    ])
      expect((await support.api.get(path)).status).toBe(200);
  });

  it('is documented as a reader wherever admins read', async () => {
    const document = await fetch(`${service.url}/openapi.json`);
    const { paths } = (await document.json()) as {
      paths: Record<string, { get?: { description?: string } }>;
    };
    const readByAdmins = Object.entries(paths).flatMap(([path, { get }]) =>
      get?.description?.startsWith('For admins') ? [[path, get.description]] : [],
    );
    expect(readByAdmins).not.toEqual([]);
    for (const [path, description] of readByAdmins)
      expect([path, description]).toEqual([path, expect.stringMatching(/^For admins and support people\./)]);
  });

  it('is recorded when looking at one account or user', async () => {
    const { accountId, id } = await anOwner(service.api);
    await support.api.get(`/v1/accounts/${accountId}`);
    await support.api.get(`/v1/users/${id}`);
    const { body } = await admin.api.get(`/v1/audit-log?actor_id=${support.id}`);
    const looks = body.data.map((entry: any) => `${entry.action} ${entry.object_id}`);
    expect(looks).toEqual(expect.arrayContaining([`account.read ${accountId}`, `user.read ${id}`]));
  });

  it('moves no money, and the attempt is recorded', async () => {
    const reply = await support.api.post('/v1/transactions', aCredit());
    expect(reply).toMatchObject({ status: 403, body: { error: 'forbidden' } });
    expect(reply.body.message).toContain('changes only notes');
    const { body } = await admin.api.get(`/v1/audit-log?actor_id=${support.id}&outcome=refused`);
    expect(body.data[0]).toMatchObject({ action: 'request', details: { operation: 'createTransaction' } });
  });

  it('writes a note about a customer, and sends the link to pay again', async () => {
    const note = await support.api.post(`/v1/accounts/${owner.accountId}/notes`, { text: 'Called.' });
    expect([note.status, note.body.author_id]).toEqual([201, support.id]);
    const { id } = await created(owner.api, '/v1/payments', aPaymentRequest(owner.accountId));
    const sent = await support.api.post(`/v1/payments/${id}/email`, {});
    expect(sent.body).toEqual({ error: 'conflict', message: expect.stringContaining('sends no emails') });
  });

  it('changes their own password', async () => {
    const { email, api } = await anOperator(service.api, 'support');
    const password = 'another long password of mine';
    const change = { current_password: PASSWORD, password };
    expect((await api.post('/v1/auth/password', change)).status).toBe(200);
    expect((await logIn(service.api, email, password)).token).toBeTruthy();
  });

  it('gets the role from an admin only, and loses the rest of what they could do', async () => {
    const { id, api } = await anOperator(service.api, 'admin');
    expect((await support.api.patch(`/v1/users/${support.id}`, { role: 'admin' })).status).toBe(403);
    expect((await owner.api.patch(`/v1/users/${owner.id}`, { role: 'support' })).status).toBe(401);
    expect((await admin.api.patch(`/v1/users/${id}`, { role: 'support' })).status).toBe(200);
    expect((await api.delete(`/v1/users/${owner.id}`)).status).toBe(403);
  });
});

it('A support person without a second factor can only set one up where that is required', async () => {
  const strict = await service.replica({ REQUIRE_ADMIN_OTP: 'true' });
  try {
    const { api } = await logIn(strict.api, support.email);
    expect((await api.get('/v1/transactions')).body).toMatchObject({ error: 'forbidden' });
    expect((await api.post('/v1/auth/otp', { password: PASSWORD })).status).toBe(200);
  } finally {
    await strict.stop();
  }
});
