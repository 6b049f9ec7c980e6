import { Reply } from '../../../support/api';
import { anOperator, anOwner, Owner, Person, theAdmin } from '../../../support/people';
import { rounds } from '../../../support/rounds';
import { startTestService, TestService } from '../../../support/service';
import { aPaymentLink, Link, open, submitOutcome, stateOf, statusOf } from '../../../support/payment-page';

const NO_SUCH_REQUEST = 'pay_01k9x8v2t4e6rb3m5n7p9q1s0w';

describe('A payment by bank transfer', () => {
  let service: TestService;
  let owner: Owner;
  let admin: Person;
  let platform: Person;

  beforeAll(async () => {
    service = await startTestService({
      PROCESSOR: 'manual',
      PAYMENT_PAYEE: 'Operator GmbH',
      PAYMENT_IBAN: 'de71 1102 2033 0123 4567 89',
      PAYMENT_INSTRUCTIONS: 'Money arrives within a day.',
    });
    [owner, admin, platform] = await Promise.all([
      anOwner(service.api, { currency: 'EUR' }),
      theAdmin(service.api),
      anOperator(service.api, 'platform'),
    ]);
  });
  afterAll(() => service.stop());

  const link = (members: object = {}, of: Owner = owner): Promise<Link> =>
    aPaymentLink(service, of, { currency: 'EUR', ...members });
  const settle = (id: string, outcome = 'succeeded', amount = 1250, by: Person = admin): Promise<Reply> =>
    by.api.post(`/v1/payments/${id}/settlement`, { outcome, amount });
  const outcomeOf = ({ status, body }: Reply): string => `${status} ${body.error ?? body.status}`;
  const postedOf = async (of: Owner): Promise<number> =>
    (await of.api.get('/v1/account/balance')).body.posted;

  it('is described on the page with bank details and a QR code', async () => {
    const { id, url } = await link();
    const page = await open(url, { headers: { 'accept-language': 'en' } });
    const reference = id.slice(-10).toUpperCase();
    for (const part of [
      'Operator GmbH',
      'DE71 1102 2033 0123 4567 89',
      '€12.50',
      `${reference.slice(0, 5)}-${reference.slice(5)}`,
      'Money arrives within a day.',
      'Scan with your banking app',
    ]) {
      expect(page.html).toContain(part);
    }
    expect(page.html).not.toMatch(/<form|Test mode/);
    expect(Buffer.byteLength(page.html)).toBeLessThan(30_000);
  });

  it('is found by the reference on the statement, in any spacing and case', async () => {
    const { id } = await link();
    await link();
    const end = id.slice(-10).toUpperCase();
    for (const reference of [`${end.slice(0, 5)}-${end.slice(5)}`, end, end.toLowerCase()]) {
      const { body } = await admin.api.get(`/v1/payments?transfer_reference=${reference}`);
      expect(body.data.map((found: { id: string }) => found.id)).toEqual([id]);
    }
    for (const other of ['-', end.slice(1), `0${end}`, `pay_${end}`])
      expect((await admin.api.get(`/v1/payments?transfer_reference=${other}`)).body.data).toEqual([]);
    expect((await admin.api.get(`/v1/search?q=${end}`)).body.data).toHaveLength(1);
    expect((await admin.api.get(`/v1/search?q=x${end}`)).body.data).toEqual([]);
  });

  it('is not made by a submitted form', async () => {
    const unpaid = await link();
    for (const outcome of ['succeeded', 'declined'] as const) await submitOutcome(unpaid.url, outcome);
    expect(await statusOf(owner.api, unpaid)).toBe('pending');
    const page = await open(unpaid.url);
    expect([stateOf(page), page.html.includes('role="alert"')]).toEqual(['pay', false]);
  });

  it('is settled once by an admin or a platform system', async () => {
    const payee = await anOwner(service.api, { currency: 'EUR' });
    for (const by of [admin, platform]) {
      const paid = await link({ reference: 'invoice-1' }, payee);
      const before = await postedOf(payee);
      const responses = await Promise.all([1, 2, 3, 4].map(() => settle(paid.id, 'succeeded', 1250, by)));
      expect(responses.map(outcomeOf)).toEqual(responses.map(() => '200 succeeded'));
      expect(await postedOf(payee)).toBe(before + 1250);
      expect(stateOf(await open(paid.url))).toBe('paid');
      expect(outcomeOf(await settle(paid.id, 'failed'))).toBe('409 conflict');
    }
    const { data } = (await payee.api.get('/v1/transactions')).body;
    expect(data.map(({ type, status }: any) => `${type} ${status}`)).toEqual([
      'payment succeeded',
      'payment succeeded',
    ]);
  });

  it('fails the request when it is reported as failed', async () => {
    const failed = await link();
    expect(outcomeOf(await settle(failed.id, 'failed'))).toBe('200 failed');
    expect(outcomeOf(await settle(failed.id, 'failed'))).toBe('200 failed');
    expect(outcomeOf(await settle(failed.id, 'succeeded'))).toBe('409 conflict');
    expect(stateOf(await open(failed.url))).toBe('failed');
  });

  it.each([1249, 1251, 1])('is rejected with another amount (%d)', async (amount) => {
    const { id } = await link();
    expect(outcomeOf(await settle(id, 'succeeded', amount))).toBe('400 invalid_request');
    expect(outcomeOf(await settle(id, 'succeeded', 1250))).toBe('200 succeeded');
    expect(outcomeOf(await settle(id, 'succeeded', amount))).toBe('400 invalid_request');
  });

  it.each<object>([
    {},
    { outcome: 'succeeded' },
    { amount: 1250 },
    { outcome: 'paid', amount: 1250 },
    { outcome: 'succeeded', amount: '1250' },
    { outcome: 'succeeded', amount: 12.5 },
    { outcome: 'succeeded', amount: 1250, currency: 'EUR' },
  ])('is rejected when reported as %j', async (body) => {
    const { id } = await link();
    expect(outcomeOf(await admin.api.post(`/v1/payments/${id}/settlement`, body))).toBe(
      '400 invalid_request',
    );
  });

  it('is not_found for an unknown request, and forbidden for other callers', async () => {
    expect(outcomeOf(await settle(NO_SUCH_REQUEST))).toBe('404 not_found');
    expect(outcomeOf(await settle('nonsense'))).toBe('404 not_found');
    const { id } = await link();
    expect(outcomeOf(await settle(id, 'succeeded', 1250, owner))).toBe('403 forbidden');
  });

  it('is a conflict after a cancellation or the expiry', async () => {
    const expires_at = new Date(service.clock.now().getTime() + 60_000).toISOString();
    const [canceled, expired] = [await link(), await link({ expires_at })];
    await owner.api.delete(`/v1/payments/${canceled.id}`);
    service.clock.move({ minutes: 2 });
    const before = await postedOf(owner);
    for (const expire of [async () => undefined, () => service.runDueTasks()]) {
      await expire();
      for (const { id } of [canceled, expired]) expect(outcomeOf(await settle(id))).toBe('409 conflict');
    }
    expect(await postedOf(owner)).toBe(before);
  });

  it('can be settled while the account is suspended', async () => {
    const payee = await anOwner(service.api, { currency: 'EUR' });
    const { id, url } = await link({}, payee);
    await admin.api.patch(`/v1/accounts/${payee.accountId}`, { status: 'suspended' });
    expect(stateOf(await open(url))).toBe('unavailable');
    expect(outcomeOf(await settle(id))).toBe('200 succeeded');
    expect((await admin.api.get(`/v1/accounts/${payee.accountId}/balance`)).body.posted).toBe(1250);
  });

  it('has one end in a race with a cancellation', async () => {
    const payee = await anOwner(service.api, { currency: 'EUR' });
    let succeeded = 0;
    for (let round = 0; round < rounds(6); round += 1) {
      const raced = await link({}, payee);
      const [settled, canceled] = await Promise.all([
        settle(raced.id),
        payee.api.delete(`/v1/payments/${raced.id}`),
      ]);
      const status = await statusOf(payee.api, raced);
      expect([settled.status, canceled.status]).toEqual(status === 'succeeded' ? [200, 409] : [409, 200]);
      if (status === 'succeeded') succeeded += 1;
      expect(await postedOf(payee)).toBe(succeeded * 1250);
    }
  });
});

describe('The bank transfer settings', () => {
  it.each([
    [{ PAYMENT_IBAN: 'DE71110220330123456788' }, 'PAYMENT_IBAN'],
    [{ PAYMENT_BIC: 'nonsense' }, 'PAYMENT_BIC'],
  ])('prevent the start when they are invalid: %j', async (env, name) => {
    await expect(startTestService(env)).rejects.toThrow(name);
  });
});
