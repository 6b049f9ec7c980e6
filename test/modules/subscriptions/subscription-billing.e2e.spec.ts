import fc from 'fast-check';
import { newId } from '../../../src/kernel/ids';
import { Interval, intervals, startOfPeriod } from '../../../src/modules/subscriptions/subscription';
import { aSubscription } from '../../support/request-bodies';
import { anAccount, anOwner, created, Owner, theAdmin } from '../../support/people';
import { draw, rounds, SEED } from '../../support/rounds';
import { startTestService, TestService } from '../../support/service';

const PATH = '/v1/subscriptions';
const DAY_MS = 86_400_000;

interface Made {
  readonly id: string;
  readonly created_at: string;
  readonly interval: Interval;
}

interface BilledRequest {
  readonly reference: string;
  readonly created_at: Date;
  readonly expires_at: Date;
}

describe('The billing of subscriptions', () => {
  let service: TestService;
  /** Replicas on the same database. */
  let replicas: TestService[];

  beforeEach(async () => {
    service = await startTestService();
    replicas = [];
  });
  afterEach(async () => {
    for (const replica of replicas) await replica.stop();
    await service.stop();
  });

  async function aReplica(): Promise<TestService> {
    const replica = await service.replica();
    replicas.push(replica);
    return replica;
  }

  const now = (): number => service.clock.now().getTime();
  /** Logs in again, since tests move the clock beyond the lifetime of a token. */
  const asAdmin = async () => (await theAdmin(service.api)).api;

  const moveClockTo = (time: Date | string): void =>
    service.clock.move({ seconds: (new Date(time).getTime() - now()) / 1000 });

  /** A subscription, whose payment requests have its reference. */
  function subscribe({ api, accountId }: Owner, reference: string, members: object = {}): Promise<Made> {
    return created(api, PATH, aSubscription(accountId, { reference, ...members }));
  }

  /** The payment requests of an account in the order of their creation. */
  const requestsOf = ({ accountId }: Owner): Promise<BilledRequest[]> =>
    service.sql(
      'SELECT reference, created_at, expires_at FROM payment_requests WHERE account_id = $1 ORDER BY id',
      [accountId],
    );

  const nextOf = async (id: string): Promise<string | null> =>
    (await (await asAdmin()).get(`${PATH}/${id}`)).body.next_payment_at;

  const setStatus = async ({ accountId }: Owner, status: string): Promise<void> => {
    const reply = await (await asAdmin()).patch(`/v1/accounts/${accountId}`, { status });
    expect(reply.status).toBe(200);
  };

  const failures = ({ logged }: TestService): string[] =>
    logged.filter((line) => line.includes('"level":50'));

  /** Expects one payment request for each period that has begun. */
  async function expectOnePerPeriod(made: readonly Made[], at: Date): Promise<void> {
    const rows = await service.sql<{ reference: string; count: string }>(
      'SELECT reference, count(*) FROM payment_requests GROUP BY reference',
    );
    const counts = Object.fromEntries(rows.map(({ reference, count }) => [reference, Number(count)]));
    const begun = (one: Made): number => {
      for (let n = 0; ; n += 1) {
        if (startOfPeriod(new Date(one.created_at), one.interval, n) > at) return n;
      }
    };
    expect(counts).toEqual(Object.fromEntries(made.map((one, index) => [`${index}`, begun(one)])));
  }

  it('creates a payment request with the subscription and one when each period begins', async () => {
    const owner = await anOwner(service.api);
    const { id } = await subscribe(owner, 'r');
    for (const count of [1, 2, 3]) {
      const next = (await nextOf(id))!;
      moveClockTo(new Date(Date.parse(next) - 5_000));
      await service.runDueTasks();
      expect(await requestsOf(owner)).toHaveLength(count);
      moveClockTo(next);
      await service.runDueTasks();
      await service.runDueTasks();
      expect(await requestsOf(owner)).toHaveLength(count + 1);
    }
  });

  it('is due on the last day of short months, and on the 31st again', async () => {
    moveClockTo('2027-01-31T10:00:00.000Z');
    const owner = await anOwner(service.api);
    const { id, created_at } = await subscribe(owner, 'r');
    const time = created_at.slice(10);
    for (const day of ['2027-02-28', '2027-03-31', '2027-04-30', '2027-05-31']) {
      expect(await nextOf(id)).toBe(`${day}${time}`);
      moveClockTo(`${day}${time}`);
      await service.runDueTasks();
    }
    expect(await requestsOf(owner)).toHaveLength(5);
    const { updated_at } = (await (await asAdmin()).get(`${PATH}/${id}`)).body;
    expect(updated_at.slice(0, 10)).toBe('2027-05-31');
  });

  it('creates requests for the same customer with their own links, which expire after 30 days', async () => {
    const owner = await anOwner(service.api);
    const terms = { customer_email: 'Ada@example.com', metadata: { seats: 3 } };
    await subscribe(owner, 'contract-1', { interval: 'week', ...terms });
    service.clock.move({ days: 7 });
    await service.runDueTasks();
    const { data } = (await (await asAdmin()).get(`/v1/payments?account_id=${owner.accountId}`)).body;
    expect(data).toHaveLength(2);
    for (const request of data) {
      expect(request).toMatchObject({ amount: 1250, currency: 'USD', reference: 'contract-1', ...terms });
    }
    expect(data[0].payment_url).not.toBe(data[1].payment_url);
    for (const { created_at, expires_at } of await requestsOf(owner)) {
      expect(expires_at.getTime() - created_at.getTime()).toBe(30 * DAY_MS);
    }
  });

  it('catches up after three years of downtime, one request for each day, in bounded batches', async () => {
    const [owner, other] = [await anOwner(service.api), await anOwner(service.api)];
    const made = [await subscribe(owner, '0', { interval: 'day' }), await subscribe(other, '1')];
    service.clock.move({ days: 3 * 365 });
    const before = service.clock.now();
    await service.runDueTasks();
    await expectOnePerPeriod(made, service.clock.now());
    const billed = await requestsOf(owner);
    expect(billed).toHaveLength(1 + 3 * 365);
    for (const { created_at, expires_at } of billed.slice(1)) {
      expect(created_at >= before).toBe(true);
      expect(expires_at.getTime() - created_at.getTime()).toBe(30 * DAY_MS);
    }
    const pieces = await service.sql<{ size: string }>(
      'SELECT count(*) AS size FROM payment_requests GROUP BY xmin::text',
    );
    expect(Math.max(...pieces.map(({ size }) => Number(size)))).toBe(100);
    expect(Date.parse((await nextOf(made[0]!.id))!)).toBeGreaterThan(now());
    const [row] = await service.sql<{ updated_at: Date }>(
      'SELECT updated_at FROM subscriptions WHERE id = $1',
      [made[0]!.id],
    );
    expect(row!.updated_at.getTime()).toBeLessThanOrEqual(now());
  });

  it('bills what is due in one account together, by one replica at a time', async () => {
    const [owner, replica] = [await anAccount(service.api), await aReplica()];
    const made: Made[] = [];
    for (let index = 0; index < 32; index += 1)
      made.push(await subscribe(owner, `${index}`, { interval: 'day' }));
    for (const { clock } of [service, replica]) clock.move({ days: 1 });
    await Promise.all([service.runDueTasks(), replica.runDueTasks()]);
    await service.runDueTasks();
    await expectOnePerPeriod(made, service.clock.now());
    const [{ transactions } = {}] = await service.sql<{ transactions: string }>(
      `SELECT count(DISTINCT xmin::text) AS transactions FROM subscriptions WHERE periods = 2`,
    );
    expect(Number(transactions)).toBe(2);
  });

  describe('by status of the account', () => {
    it('suspended: skips periods, and does not create their requests later', async () => {
      const owner = await anOwner(service.api);
      const { id, created_at } = await subscribe(owner, 'r', { interval: 'day' });
      await setStatus(owner, 'suspended');
      for (const days of [1, 3]) {
        service.clock.move({ days });
        await service.runDueTasks();
        expect(await requestsOf(owner)).toHaveLength(1);
      }
      const fifth = new Date(Date.parse(created_at) + 5 * DAY_MS).toISOString();
      expect(await nextOf(id)).toBe(fifth);
      await setStatus(owner, 'active');
      await service.runDueTasks();
      expect(await requestsOf(owner)).toHaveLength(1);
      moveClockTo(fifth);
      await service.runDueTasks();
      expect(await requestsOf(owner)).toHaveLength(2);
    });

    it('suspended: skips many periods without delaying other accounts', async () => {
      const [owner, other] = [await anOwner(service.api), await anOwner(service.api)];
      const { id } = await subscribe(owner, 'r', { interval: 'day' });
      await subscribe(other, 's', { interval: 'year' });
      await setStatus(owner, 'suspended');
      service.clock.move({ days: 2 * 365 + 1 });
      await service.runDueTasks();
      expect([(await requestsOf(owner)).length, (await requestsOf(other)).length]).toEqual([1, 3]);
      expect(Date.parse((await nextOf(id))!)).toBeGreaterThan(now());
    });

    it('closed with an active subscription by an earlier release: skips it without an error', async () => {
      const owner = await anOwner(service.api);
      await subscribe(owner, 'r', { interval: 'day' });
      await service.sql("UPDATE accounts SET status = 'closed' WHERE id = $1", [owner.accountId]);
      service.clock.move({ days: 1 });
      await service.runDueTasks();
      expect(await requestsOf(owner)).toHaveLength(1);
      expect(failures(service)).toEqual([]);
    });

    it('pending: creates requests', async () => {
      const owner = await anOwner(service.api);
      await subscribe(owner, 'r', { interval: 'day' });
      await setStatus(owner, 'pending');
      service.clock.move({ days: 1 });
      await service.runDueTasks();
      expect(await requestsOf(owner)).toHaveLength(2);
    });
  });

  describe('with concurrent changes', () => {
    const wishes = fc.record({
      interval: fc.constantFrom(...intervals),
      days: fc.integer({ min: 0, max: 45 }),
    });

    it(`creates one request for each period on three replicas whose clocks differ (seed ${SEED})`, async () => {
      const [behind, ahead] = [await aReplica(), await aReplica()];
      const all = [service, behind, ahead];
      const owners = [
        await anAccount(service.api),
        await anAccount(service.api),
        await anAccount(service.api),
      ];
      const made: Made[] = [];
      const wished = draw(wishes, 24);
      for (const [index, { interval }] of wished.entries()) {
        made.push(await subscribe(owners[index % 3]!, `${index}`, { interval }));
      }
      behind.clock.move({ seconds: -3 });
      ahead.clock.move({ seconds: 3 });
      for (let round = 0; round < rounds(4); round += 1) {
        for (const { clock } of all) clock.move({ days: wished[round % wished.length]!.days });
        await Promise.all([...all, ...all].map((one) => one.runDueTasks()));
        await ahead.runDueTasks(); // what was not yet due by the clock of the replica that ran the task
        await expectOnePerPeriod(made, ahead.clock.now());
      }
      expect(all.flatMap(failures)).toEqual([]);
    });

    it('is complete or absent for each period when a service stops, and another one continues', async () => {
      const replica = await service.replica(); // stops in the middle of this test
      const owner = await anAccount(service.api);
      const made: Made[] = [];
      for (let index = 0; index < 6; index += 1) {
        made.push(await subscribe(owner, `${index}`, { interval: 'day' }));
      }
      for (const { clock } of [service, replica]) clock.move({ days: 250 });
      const run = replica.runDueTasks();
      await replica.stop();
      await run;
      expect(failures(replica)).toEqual([]);
      await service.runDueTasks();
      await expectOnePerPeriod(made, service.clock.now());
    });

    it('loses and duplicates no period when connections are cut', async () => {
      const owner = await anAccount(service.api);
      const made: Made[] = [];
      for (let index = 0; index < 6; index += 1) {
        made.push(await subscribe(owner, `${index}`, { interval: 'day' }));
      }
      service.clock.move({ days: 400 });
      let done = false;
      const run = service.tryDueTasks().finally(() => (done = true));
      while (!done) {
        await service.sql(
          `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
           WHERE datname = current_database() AND pid <> pg_backend_pid() AND query LIKE '%payment_requests%'`,
        );
      }
      await run;
      expect(failures(service)).not.toEqual([]);
      service.clock.move({ minutes: 1 }); // the items that failed are postponed
      await service.tryDueTasks();
      await expectOnePerPeriod(made, service.clock.now());
    });

    it(`creates no request after a cancellation (${rounds(12)} rounds)`, async () => {
      const replica = await aReplica();
      for (let round = 0; round < rounds(12); round += 1) {
        const owner = await anOwner(service.api);
        const { id } = await subscribe(owner, 'r', { interval: 'day' });
        for (const { clock } of [service, replica]) clock.move({ days: 1 });
        const admin = await asAdmin();
        const [canceled] = await Promise.all([
          admin.delete(`${PATH}/${id}`),
          service.runDueTasks(),
          replica.runDueTasks(),
        ]);
        expect(canceled.status).toBe(200);
        for (const { clock } of [service, replica]) clock.move({ days: 1 });
        await service.runDueTasks();
        const billed = await requestsOf(owner);
        expect([1, 2]).toContain(billed.length);
        const canceledAt = new Date(canceled.body.canceled_at);
        expect(billed.filter(({ created_at }) => created_at >= canceledAt)).toEqual([]);
        expect(await nextOf(id)).toBeNull();
      }
    });

    it(`closes the account or creates a subscription, never both (${rounds(12)} rounds)`, async () => {
      const admin = await asAdmin();
      for (let round = 0; round < rounds(12); round += 1) {
        const { accountId } = await anOwner(service.api);
        const [made, closed] = await Promise.all([
          admin.post(PATH, aSubscription(accountId)),
          admin.delete(`/v1/accounts/${accountId}`),
        ]);
        const both = [made.body.error ?? made.status, closed.body.error ?? closed.status];
        expect([
          [201, 'active_subscriptions'],
          ['forbidden', 200],
        ]).toContainEqual(both);
      }
    });
  });

  describe('of a subscription that fails', () => {
    /** Copies a subscription. */
    async function alike({ id }: Made, count: number): Promise<void> {
      const ids = Array.from({ length: count }, () => newId('sub', service.clock.now()));
      await service.sql(
        `INSERT INTO subscriptions SELECT (jsonb_populate_record(s, jsonb_build_object('id', copy))).*
         FROM subscriptions s, unnest($2::text[]) AS copy WHERE s.id = $1`,
        [id, ids],
      );
    }

    it('does not delay others in the same or another account, and is retried', async () => {
      const [owner, other] = [await anAccount(service.api), await anAccount(service.api)];
      await alike(await subscribe(owner, 'needs_attention', { interval: 'day' }), 120);
      await service.sql(`CREATE FUNCTION reject() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN RAISE EXCEPTION 'the disk is odd about %', NEW.reference; END $$`);
      await service.sql(`CREATE TRIGGER odd BEFORE INSERT ON payment_requests
        FOR EACH ROW WHEN (NEW.reference IN ('needs_attention', 'broken')) EXECUTE FUNCTION reject()`);
      await service.sql('ALTER TABLE payment_requests DISABLE TRIGGER odd');
      await subscribe(owner, 'broken', { interval: 'day' });
      await service.sql('ALTER TABLE payment_requests ENABLE TRIGGER odd');
      await subscribe(owner, 'healthy', { interval: 'day' });
      await subscribe(other, 'healthy', { interval: 'day' });

      service.clock.move({ days: 1 });
      await service.tryDueTasks();
      const counted = async (): Promise<object> =>
        Object.fromEntries(
          (
            await service.sql<{ reference: string; count: string }>(
              'SELECT reference, count(*) FROM payment_requests GROUP BY reference',
            )
          ).map(({ reference, count }) => [reference, Number(count)]),
        );
      expect(await counted()).toEqual({ needs_attention: 1, broken: 1, healthy: 4 });
      const postponed = service.logged.filter((line) => line.includes('postponed'));
      expect(postponed).toHaveLength(122);
      expect(postponed.join()).not.toContain('the disk is odd');

      await service.sql('DROP TRIGGER odd ON payment_requests');
      service.clock.move({ seconds: 2 });
      await service.tryDueTasks();
      expect(await counted()).toEqual({ needs_attention: 122, broken: 2, healthy: 4 });
    });
  });
});
