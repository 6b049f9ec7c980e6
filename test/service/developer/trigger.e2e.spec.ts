import { triggeredEvents } from '../../../src/service/developer/trigger';
import { Developer } from '../../support/developer';
import { anOwner, created, Owner } from '../../support/people';
import { startTestService, TestService } from '../../support/service';

let service: TestService;
let owner: Owner;
let key: string;
let developer: Developer;

beforeAll(async () => {
  service = await startTestService();
  owner = await anOwner(service.api);
  ({ key } = await created(owner.api, '/v1/api-keys', { name: 'Test' }));
});
afterAll(async () => {
  await service.stop();
});
beforeEach(async () => {
  developer = new Developer();
  expect(await developer.logIn(service, key)).toMatchObject({ code: 0 });
});
afterEach(() => {
  expect(developer.printed).not.toContain(key);
  developer.remove();
});

describe('trigger', () => {
  it('lists the events', async () => {
    const { code, out } = await developer.run('trigger --list');
    expect({ code, events: out.trimEnd().split('\n') }).toEqual({ code: 0, events: triggeredEvents });
  });

  it.each(triggeredEvents)('lets %s happen', async (type) => {
    const { code, out, err } = await developer.run(`trigger ${type} --json`);
    expect({ code, err }).toEqual({ code: 0, err: expect.stringMatching(`^${type} \\w+\n$`) });
    const { object_id } = JSON.parse(out) as { object_id: string };
    const { body } = await owner.api.get(`/v1/events?object_id=${object_id}&type=${type}`);
    expect(body.data).toHaveLength(1);
  });

  it('creates nothing that looks like other data', async () => {
    const { out } = await developer.run('trigger transaction.created --json');
    const { body } = await owner.api.get(`/v1/transactions/${JSON.parse(out).object_id}`);
    expect(body).toMatchObject({ amount: 100, reference: 'countinghouse trigger' });
  });

  it('needs an event', async () => {
    expect(await developer.run('trigger')).toMatchObject({ code: 2 });
    expect(await developer.run('trigger account.closed')).toMatchObject({ code: 2 });
  });
});

describe('trigger in live mode', () => {
  let live: TestService;
  beforeAll(async () => {
    live = await startTestService({ PROCESSOR: 'manual' });
  });
  afterAll(() => live.stop());

  it('refuses every event, and creates nothing', async () => {
    const merchant = await anOwner(live.api);
    const { key: liveKey } = await created(merchant.api, '/v1/api-keys', { name: 'Test' });
    const settings = { COUNTINGHOUSE_URL: live.url, COUNTINGHOUSE_API_KEY: liveKey };
    for (const type of triggeredEvents) {
      const { code, err } = await developer.run(`trigger ${type}`, '', settings);
      expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining('test mode') });
    }
    for (const list of ['payments', 'transactions', 'transfers', 'subscriptions'])
      expect((await merchant.api.get(`/v1/${list}`)).body.data).toEqual([]);
  });
});
