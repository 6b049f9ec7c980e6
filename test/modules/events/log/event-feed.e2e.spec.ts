import { Module } from '@nestjs/common';
import { AccountStore, Database, EventFeed } from '../../../../src';
import { AccountsModule } from '../../../../src/modules/accounts/accounts.module';
import { anOwner, created, Owner } from '../../../support/people';
import { aTransaction } from '../../../support/request-bodies';
import { startTestService, TestService } from '../../../support/service';

/** What a module that delivers events gets from the service. */
interface Consumer {
  readonly feed: EventFeed;
  readonly database: Database;
  readonly accounts: AccountStore;
}

let service: TestService;
let consumer: Consumer;
let owner: Owner;

@Module({ imports: [AccountsModule] })
class ConsumerModule {
  constructor(feed: EventFeed, database: Database, accounts: AccountStore) {
    consumer = { feed, database, accounts };
  }
}

beforeAll(async () => {
  service = await startTestService({}, undefined, [{ module: ConsumerModule }]);
});
afterAll(() => service.stop());
beforeEach(async () => {
  owner = await anOwner(service.api);
});

const deliver = (isWanted: boolean): Promise<void> =>
  consumer.database.transaction((tx) =>
    consumer.accounts.update(tx, owner.accountId, async (account) => account.deliverEvents(isWanted)),
  );

const take = async (limit = 100): Promise<string[]> => {
  const events = await consumer.database.transaction((tx) => consumer.feed.dequeue(tx, limit));
  return events.map(({ objectId }) => objectId);
};

const aPayment = async (): Promise<string> =>
  (await created(owner.api, '/v1/transactions', aTransaction(owner.accountId))).id;

describe('The feed of events', () => {
  it('has the events of an account while they are delivered, the oldest first, and each once', async () => {
    await aPayment();
    await deliver(true);
    const ids = [await aPayment(), await aPayment(), await aPayment()];
    await deliver(false);
    await aPayment();
    expect(await take(2)).toEqual(ids.slice(0, 2));
    expect(await take()).toEqual(ids.slice(2));
    expect(await take()).toEqual([]);
  });

  it('has events again when the transaction that takes them is rolled back', async () => {
    await deliver(true);
    const id = await aPayment();
    const failed = consumer.database.transaction(async (tx) => {
      await consumer.feed.dequeue(tx, 100);
      throw new Error('The deliveries cannot be recorded.');
    });
    await expect(failed).rejects.toThrow('cannot be recorded');
    expect(await take()).toEqual([id]);
  });

  it('has none of a change that is rolled back', async () => {
    await deliver(true);
    const refund = aTransaction(owner.accountId, { type: 'refund' });
    expect((await owner.api.post('/v1/transactions', refund)).status).toBe(402);
    expect(await take()).toEqual([]);
  });

  it('lets accounts take turns, so that one with many events does not delay the others', async () => {
    const many = owner;
    await deliver(true);
    const first = await Promise.all(Array.from({ length: 6 }, aPayment));
    owner = await anOwner(service.api);
    await deliver(true);
    const second = [await aPayment()];
    const batches = [await take(3), await take(3), await take(3)];
    // Whoever comes first, the other one comes next.
    expect(batches.slice(0, 2).flat()).toEqual(expect.arrayContaining(second));
    owner = many;
    expect([...batches.flat(), ...(await take())].toSorted()).toEqual([...first, ...second].toSorted());
    expect(await take()).toEqual([]);
  });

  it('gives several callers at a time different events', async () => {
    await deliver(true);
    const ids = await Promise.all(Array.from({ length: 12 }, aPayment));
    const taken = await Promise.all([take(), take(), take()]);
    const rest = await take();
    expect([...taken.flat(), ...rest].toSorted()).toEqual(ids.toSorted());
  });
});
