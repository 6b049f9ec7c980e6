import { Reply } from '../support/api';
import { anOperator, anOwner, Owner, Person, theAdmin } from '../support/people';
import { rounds } from '../support/rounds';
import { startTestService, TestService } from '../support/service';
import { aLink, Link, open, press, stateOf, statusOf } from './visitor';

const NO_SUCH_REQUEST = 'pay_01k9x8v2t4e6rb3m5n7p9q1s0w';

describe('Payment by bank transfer', () => {
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
    aLink(service, of, { currency: 'EUR', ...members });
  const settle = (id: string, outcome = 'succeeded', amount = 1250, by: Person = admin): Promise<Reply> =>
    by.api.post(`/v1/payments/${id}/settlement`, { outcome, amount });
  const outcomeOf = ({ status, body }: Reply): string => `${status} ${body.error ?? body.status}`;
  const postedOf = async (of: Owner): Promise<number> =>
    (await of.api.get('/v1/account/balance')).body.posted;

  it('is told on the page: payee, account, amount, reference, instructions and a code', async () => {
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

  it('finds its request by the reference on the statement, however the bank has written it', async () => {
    const { id } = await link();
    await link();
    const end = id.slice(-10).toUpperCase();
    for (const reference of [`${end.slice(0, 5)}-${end.slice(5)}`, end, end.toLowerCase()]) {
      const { body } = await admin.api.get(`/v1/payments?transfer_reference=${reference}`);
      expect(body.data.map((found: { id: string }) => found.id)).toEqual([id]);
    }
    expect((await admin.api.get('/v1/payments?transfer_reference=-')).body.data).toEqual([]);
  });

  it('is never made by pressing what the page does not have', async () => {
    const pressed = await link();
    for (const outcome of ['paid', 'declined'] as const) await press(pressed.url, outcome);
    expect(await statusOf(owner.api, pressed)).toBe('pending');
    const page = await open(pressed.url);
    expect([stateOf(page), page.html.includes('role="alert"')]).toEqual(['pay', false]);
  });

  it('is reported by an admin or a platform system, once, and the page shows the receipt', async () => {
    const payee = await anOwner(service.api, { currency: 'EUR' });
    for (const by of [admin, platform]) {
      const paid = await link({ reference: 'invoice-1' }, payee);
      const before = await postedOf(payee);
      const answers = await Promise.all([1, 2, 3, 4].map(() => settle(paid.id, 'succeeded', 1250, by)));
      expect(answers.map(outcomeOf)).toEqual(answers.map(() => '200 succeeded'));
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

  it('that failed ends the request', async () => {
    const failed = await link();
    expect(outcomeOf(await settle(failed.id, 'failed'))).toBe('200 failed');
    expect(outcomeOf(await settle(failed.id, 'failed'))).toBe('200 failed');
    expect(outcomeOf(await settle(failed.id, 'succeeded'))).toBe('409 conflict');
    expect(stateOf(await open(failed.url))).toBe('failed');
  });

  it.each([1249, 1251, 1])('of another amount (%d) is refused', async (amount) => {
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
  ])('reported as %j is refused', async (body) => {
    const { id } = await link();
    expect(outcomeOf(await admin.api.post(`/v1/payments/${id}/settlement`, body))).toBe(
      '400 invalid_request',
    );
  });

  it('of an unknown request is not_found, and of anyone else forbidden', async () => {
    expect(outcomeOf(await settle(NO_SUCH_REQUEST))).toBe('404 not_found');
    expect(outcomeOf(await settle('nonsense'))).toBe('404 not_found');
    const { id } = await link();
    expect(outcomeOf(await settle(id, 'succeeded', 1250, owner))).toBe('403 forbidden');
  });

  it('that arrives after the request was canceled or ran out is a conflict, before and after the sweep', async () => {
    const expires_at = new Date(service.clock.now().getTime() + 60_000).toISOString();
    const [canceled, expired] = [await link(), await link({ expires_at })];
    await owner.api.delete(`/v1/payments/${canceled.id}`);
    service.clock.move({ minutes: 2 });
    const before = await postedOf(owner);
    for (const sweep of [async () => undefined, () => service.sweep()]) {
      await sweep();
      for (const { id } of [canceled, expired]) expect(outcomeOf(await settle(id))).toBe('409 conflict');
    }
    expect(await postedOf(owner)).toBe(before);
  });

  it('may be reported while the account is suspended: the money is there', async () => {
    const payee = await anOwner(service.api, { currency: 'EUR' });
    const { id, url } = await link({}, payee);
    await admin.api.patch(`/v1/accounts/${payee.accountId}`, { status: 'suspended' });
    expect(stateOf(await open(url))).toBe('unavailable');
    expect(outcomeOf(await settle(id))).toBe('200 succeeded');
    expect((await admin.api.get(`/v1/accounts/${payee.accountId}/balance`)).body.posted).toBe(1250);
  });

  it('raced by a cancel has one end, and the money agrees', async () => {
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

describe('The bank details of the operator', () => {
  it.each([
    [{ PAYMENT_IBAN: 'DE71110220330123456788' }, 'PAYMENT_IBAN'],
    [{ PAYMENT_BIC: 'nonsense' }, 'PAYMENT_BIC'],
  ])('%j stop the start when they cannot be right', async (env, name) => {
    await expect(startTestService(env)).rejects.toThrow(name);
  });
});
