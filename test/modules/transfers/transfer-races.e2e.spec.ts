import { LedgerVerification } from '../../../src/modules/ledger';
import { outcome } from '../../support/account-owned';
import { anAccount, created, Owner, Person, theAdmin } from '../../support/people';
import { aTransaction } from '../../support/request-bodies';
import { startTestService, TestService } from '../../support/service';
import { contextOn } from '../ledger/context';

const PATH = '/v1/transfers';
const AT_ONCE = 1000;
const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));
const countBy = (outcomes: readonly string[]): Record<string, number> =>
  Object.fromEntries(
    [...new Set(outcomes)].map((one) => [one, outcomes.filter((other) => other === one).length]),
  );

/** Three replicas on one database whose clocks differ by seconds. */
describe.each([
  ['with group commit', {}],
  ['without group commit', { GROUP_COMMIT: 'false' }],
])('Concurrent transfers on three replicas %s', (_, env) => {
  let replicas: TestService[];
  let service: TestService;
  let admin: Person;

  beforeAll(async () => {
    service = await startTestService(env);
    replicas = [service, await service.replica(), await service.replica()];
    replicas[1]!.clock.move({ seconds: -2 });
    replicas[2]!.clock.move({ seconds: 2 });
    admin = await theAdmin(service.api);
  });
  afterAll(async () => {
    const app = await contextOn(service);
    const { faults } = await app.get(LedgerVerification).run(() => undefined);
    await app.close();
    for (const one of replicas.toReversed()) await one.stop();
    expect(faults).toEqual([]);
  });

  const at = (index: number, { token }: Person) => replicas[index % 3]!.api.as(token);
  const withBalance = async (amount: number): Promise<Owner> => {
    const owner = await anAccount(service.api);
    await created(admin.api, '/v1/transactions', aTransaction(owner.accountId, { type: 'credit', amount }));
    return owner;
  };
  const posted = async (owners: readonly Owner[]): Promise<number[]> => {
    const ids = owners.map(({ accountId }) => accountId);
    const rows = await service.sql<{ id: string; posted: string }>(
      'SELECT id, posted FROM accounts WHERE id = ANY ($1)',
      [ids],
    );
    return ids.map((id) => Number(rows.find((row) => row.id === id)!.posted));
  };
  const terms = (from: Owner, to: Owner, members: object = {}) => ({
    from_account_id: from.accountId,
    to_account_id: to.accountId,
    amount: 1,
    currency: 'USD',
    ...members,
  });

  it('go both ways around a ring of accounts without a deadlock, and keep the sum', async () => {
    const ring = await Promise.all(times(10, () => withBalance(1000)));
    const send = (index: number) => {
      const [from, to] = [ring[index % 10]!, ring[(index + (index % 2 === 0 ? 1 : 9)) % 10]!];
      return at(index, from).post(PATH, terms(from, to, { amount: 1 + (index % 7) }));
    };
    // On a slow machine some wait for more than five seconds, get 503 and have changed nothing: they are sent again.
    const sendUntilServed = async (index: number) => {
      let reply = await send(index);
      while (reply.status === 503) reply = await send(index);
      return reply;
    };
    const replies = await Promise.all(times(AT_ONCE, sendUntilServed));
    expect(countBy(replies.map(outcome))).toEqual({ '201 succeeded': AT_ONCE });
    const balances = await posted(ring);
    expect(balances.reduce((sum, one) => sum + one)).toBe(10_000);
  });

  it('spend exactly what a balance funds', async () => {
    const [giver, receiver] = [await withBalance(37), await withBalance(1)];
    const send = (index: number) =>
      at(index, giver).post(PATH, terms(giver, receiver, { capture: index % 2 === 0 ? 'now' : 'later' }));
    const replies = await Promise.all(times(200, send));
    const outcomes = countBy(replies.map(({ status }) => `${status}`));
    expect(outcomes).toEqual({ '201': 37, '402': 163 });
  });

  it('end a pending transfer in one way', async () => {
    const [giver, receiver] = [await withBalance(100), await withBalance(1)];
    for (let round = 0; round < 10; round += 1) {
      const { id } = await created(giver.api, PATH, terms(giver, receiver, { amount: 10, capture: 'later' }));
      const replies = await Promise.all([
        at(0, giver).post(`${PATH}/${id}/capture`, { amount: 4 }),
        at(1, giver).delete(`${PATH}/${id}`),
        at(2, giver).post(`${PATH}/${id}/capture`, { amount: 6 }),
      ]);
      expect(replies.filter(({ status }) => status === 200)).toHaveLength(1);
    }
  });

  it('send back no more than was received', async () => {
    const [giver, receiver] = [await withBalance(50), await withBalance(1000)];
    const { id } = await created(giver.api, PATH, terms(giver, receiver, { amount: 50 }));
    const reverse = (index: number) => at(index, receiver).post(`${PATH}/${id}/reversal`, { amount: 7 });
    const replies = await Promise.all(times(20, reverse));
    expect(countBy(replies.map(({ status }) => `${status}`))).toEqual({ '201': 7, '400': 13 });
    expect(await posted([giver, receiver])).toEqual([49, 1001]);
  });

  it('survive the closing of either side', async () => {
    const owners = await Promise.all(times(6, () => withBalance(1000)));
    const pairs = owners.flatMap((from) =>
      owners.filter((to) => to !== from).map((to) => [from, to] as const),
    );
    await Promise.all(
      pairs.map(([from, to]) => created(from.api, PATH, terms(from, to, { capture: 'later' }))),
    );
    const closings = owners
      .slice(0, 3)
      .map(({ accountId }, index) => at(index, admin).delete(`/v1/accounts/${accountId}`));
    const sent = pairs.map(([from, to], index) => at(index, from).post(PATH, terms(from, to)));
    const outcomes = countBy((await Promise.all([...closings, ...sent])).map(({ status }) => `${status}`));
    expect(Object.keys(outcomes).filter((status) => !['200', '201', '401', '403'].includes(status))).toEqual(
      [],
    );
    expect((await posted(owners)).reduce((sum, one) => sum + one)).toBe(6000);
    const [{ held }] = (await service.sql<{ held: string }>(
      'SELECT sum(held) AS held FROM accounts WHERE id = ANY ($1)',
      [owners.map(({ accountId }) => accountId)],
    )) as [{ held: string }];
    expect(Number(held)).toBe(6); // between the three that are open
  });
});
