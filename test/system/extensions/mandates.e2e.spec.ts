import { newId } from '../../../src/kernel/ids';
import { anOwner, created, Owner } from '../../support/people';
import { startTestService, TestService } from '../../support/service';
import { mandates } from './mandates';

describe('A resource of an account without an amount', () => {
  let service: TestService;
  let owner: Owner;

  beforeAll(async () => {
    service = await startTestService({}, undefined, [mandates]);
  });
  afterAll(() => service.stop());
  beforeEach(async () => {
    owner = await anOwner(service.api);
  });

  const create = (members: object = {}) =>
    created(owner.api, '/v1/mandates', { account_id: owner.accountId, ...members });

  it('is created, retrieved and replayed without money in its request and response', async () => {
    const request = { account_id: owner.accountId, reference: 'sepa-1' };
    const headers = { 'Idempotency-Key': 'once' };
    const first = await owner.api.post('/v1/mandates', request, { headers });
    expect([first.status, Object.keys(first.body)]).toEqual([
      201,
      ['id', 'account_id', 'status', 'created_at', 'reference'],
    ]);
    expect(first.body).toMatchObject({ account_id: owner.accountId, status: 'active', reference: 'sepa-1' });
    expect((await owner.api.post('/v1/mandates', request, { headers })).text).toBe(first.text);
    expect((await owner.api.get(`/v1/mandates/${first.body.id}`)).body).toEqual(first.body);
  });

  it('takes no amount and no currency', async () => {
    for (const members of [{ amount: 1 }, { currency: 'USD' }]) {
      const body = { account_id: owner.accountId, ...members };
      expect((await owner.api.post('/v1/mandates', body)).body.error).toBe('invalid_request');
    }
  });

  it('is checked like any other by a dry run, which creates nothing', async () => {
    const body = { account_id: owner.accountId, dry_run: true };
    expect(await owner.api.post('/v1/mandates', body)).toMatchObject({
      status: 200,
      body: { status: 'active', dry_run: true, balance: { posted: 0 } },
    });
    expect((await owner.api.get('/v1/mandates')).body.data).toEqual([]);
  });

  it('is rejected for a suspended account, and for one of others', async () => {
    const other = await anOwner(service.api);
    const refused = await other.api.post('/v1/mandates', { account_id: owner.accountId });
    expect([refused.status, refused.body.error]).toEqual([404, 'not_found']);
    await service.sql(`UPDATE accounts SET status = 'suspended' WHERE id = $1`, [owner.accountId]);
    const suspended = await owner.api.post('/v1/mandates', { account_id: owner.accountId });
    expect(suspended.body).toMatchObject({
      error: 'forbidden',
      message: 'The account is suspended and takes no records.',
    });
  });

  it('is listed page by page, filtered, and as CSV', async () => {
    const ids: string[] = [];
    for (const reference of ['a', 'b', 'a']) ids.unshift((await create({ reference })).id);
    const list = async (query: string) => {
      const { body } = await owner.api.get(`/v1/mandates?${query}`);
      return [body.data.map(({ id }: { id: string }) => id), body.has_more];
    };
    expect(await list('limit=2')).toEqual([ids.slice(0, 2), true]);
    expect(await list(`starting_after=${ids[1]}`)).toEqual([ids.slice(2), false]);
    expect(await list('reference=a&status=active')).toEqual([[ids[0], ids[2]], false]);
    const [header, ...lines] = (await owner.api.get('/v1/mandates?format=csv')).text.trim().split('\n');
    expect(header).toBe('id,account_id,status,created_at,reference');
    expect(lines.map((line) => line.split(',')[0])).toEqual(ids);
  });

  it('is found by its id and its reference, and its events are recorded', async () => {
    const reference = newId('ref', service.clock.now());
    const { id } = await create({ reference });
    for (const text of [id, reference]) {
      const { body } = await owner.api.get(`/v1/search?q=${text}`);
      expect(body.data).toMatchObject([{ type: 'mandate', id, account_id: owner.accountId }]);
    }
    const { body } = await owner.api.get('/v1/events?type=mandate.created');
    expect(body.data).toMatchObject([{ object_id: id, sequence: 1, data: { object: { id, reference } } }]);
  });
});
