import fc from 'fast-check';
import { newId } from '../../src/kernel/ids';
import { Interval, intervals, startOfPeriod } from '../../src/modules/subscriptions/domain/schedule';
import { aSubscription } from '../support/movements';
import { anAccount, anOwner, created, Owner, theAdmin } from '../support/people';
import { draw, rounds, SEED } from '../support/rounds';
import { startTestService, TestService } from '../support/service';

const PATH = '/v1/subscriptions';
const DAY_MS = 86_400_000;

interface Made {
  readonly id: string;
  readonly created_at: string;
  readonly interval: Interval;
}

interface Asked {
  readonly reference: string;
  readonly created_at: Date;
  readonly expires_at: Date;
}

describe('What subscriptions ask for, period by period', () => {
  let service: TestService;
  /** Others on the same database. */
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
  /** A token does not outlive the days that the clock is moved by. */
  const asAdmin = async () => (await theAdmin(service.api)).api;

  const moveTo = (moment: Date | string): void =>
    service.clock.move({ seconds: (new Date(moment).getTime() - now()) / 1000 });

  /** Its payment requests are known by the reference. */
  function subscribe({ api, accountId }: Owner, reference: string, members: object = {}): Promise<Made> {
    return created(api, PATH, aSubscription(accountId, { reference, ...members }));
  }

  /** The payment requests of an account, in the order in which they were made. */
  const askedBy = ({ accountId }: Owner): Promise<Asked[]> =>
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

  /** How many payment requests a subscription has made, which must be one for each period that has begun. */
  async function expectOneEach(made: readonly Made[], at: Date): Promise<void> {
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

  it('is one payment request at the creation and one when each period begins, not before', async () => {
    const owner = await anOwner(service.api);
    const { id } = await subscribe(owner, 'r');
    for (const count of [1, 2, 3]) {
      const next = (await nextOf(id))!;
      moveTo(new Date(Date.parse(next) - 5_000));
      await service.sweep();
      expect(await askedBy(owner)).toHaveLength(count);
      moveTo(next);
      await service.sweep();
      await service.sweep();
      expect(await askedBy(owner)).toHaveLength(count + 1);
    }
  });

  it('falls on the last day of short months, and on the 31st again', async () => {
    moveTo('2027-01-31T10:00:00.000Z');
    const owner = await anOwner(service.api);
    const { id, created_at } = await subscribe(owner, 'r');
    const time = created_at.slice(10);
    for (const day of ['2027-02-28', '2027-03-31', '2027-04-30', '2027-05-31']) {
      expect(await nextOf(id)).toBe(`${day}${time}`);
      moveTo(`${day}${time}`);
      await service.sweep();
    }
    expect(await askedBy(owner)).toHaveLength(5);
    const { updated_at } = (await (await asAdmin()).get(`${PATH}/${id}`)).body;
    expect(updated_at.slice(0, 10)).toBe('2027-05-31');
  });

  it('is asked of the same customer, by a link of its own, to be paid within 30 days', async () => {
    const owner = await anOwner(service.api);
    const terms = { customer_email: 'Ada@example.com', metadata: { seats: 3 } };
    await subscribe(owner, 'contract-1', { interval: 'week', ...terms });
    service.clock.move({ days: 7 });
    await service.sweep();
    const { data } = (await (await asAdmin()).get(`/v1/payments?account_id=${owner.accountId}`)).body;
    expect(data).toHaveLength(2);
    for (const request of data) {
      expect(request).toMatchObject({ amount: 1250, currency: 'USD', reference: 'contract-1', ...terms });
    }
    expect(data[0].payment_url).not.toBe(data[1].payment_url);
    for (const { created_at, expires_at } of await askedBy(owner)) {
      expect(expires_at.getTime() - created_at.getTime()).toBe(30 * DAY_MS);
    }
  });

  it('is caught up with after three years of downtime, one for each day, a bounded piece at a time', async () => {
    const [owner, other] = [await anOwner(service.api), await anOwner(service.api)];
    const made = [await subscribe(owner, '0', { interval: 'day' }), await subscribe(other, '1')];
    service.clock.move({ days: 3 * 365 });
    const before = service.clock.now();
    await service.sweep();
    await expectOneEach(made, service.clock.now());
    const asked = await askedBy(owner);
    expect(asked).toHaveLength(1 + 3 * 365);
    for (const { created_at, expires_at } of asked.slice(1)) {
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

  describe('While the account', () => {
    it('is suspended, is skipped: then and later', async () => {
      const owner = await anOwner(service.api);
      const { id, created_at } = await subscribe(owner, 'r', { interval: 'day' });
      await setStatus(owner, 'suspended');
      for (const days of [1, 3]) {
        service.clock.move({ days });
        await service.sweep();
        expect(await askedBy(owner)).toHaveLength(1);
      }
      const fifth = new Date(Date.parse(created_at) + 5 * DAY_MS).toISOString();
      expect(await nextOf(id)).toBe(fifth);
      await setStatus(owner, 'active');
      await service.sweep();
      expect(await askedBy(owner)).toHaveLength(1);
      moveTo(fifth);
      await service.sweep();
      expect(await askedBy(owner)).toHaveLength(2);
    });

    it('is suspended, is skipped also where much was missed, and nobody waits for it', async () => {
      const [owner, other] = [await anOwner(service.api), await anOwner(service.api)];
      const { id } = await subscribe(owner, 'r', { interval: 'day' });
      await subscribe(other, 's', { interval: 'year' });
      await setStatus(owner, 'suspended');
      service.clock.move({ days: 2 * 365 + 1 });
      await service.sweep();
      expect([(await askedBy(owner)).length, (await askedBy(other)).length]).toEqual([1, 3]);
      expect(Date.parse((await nextOf(id))!)).toBeGreaterThan(now());
    });

    it('is closed after all, by a release that knew no subscriptions, is skipped without a complaint', async () => {
      const owner = await anOwner(service.api);
      await subscribe(owner, 'r', { interval: 'day' });
      await service.sql("UPDATE accounts SET status = 'closed' WHERE id = $1", [owner.accountId]);
      service.clock.move({ days: 1 });
      await service.sweep();
      expect(await askedBy(owner)).toHaveLength(1);
      expect(failures(service)).toEqual([]);
    });

    it('is pending, is asked for', async () => {
      const owner = await anOwner(service.api);
      await subscribe(owner, 'r', { interval: 'day' });
      await setStatus(owner, 'pending');
      service.clock.move({ days: 1 });
      await service.sweep();
      expect(await askedBy(owner)).toHaveLength(2);
    });
  });

  describe('At once', () => {
    const wishes = fc.record({
      interval: fc.constantFrom(...intervals),
      days: fc.integer({ min: 0, max: 45 }),
    });

    it(`three replicas whose clocks differ ask once for each period (seed ${SEED})`, async () => {
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
        await Promise.all([...all, ...all].map((one) => one.sweep()));
        await expectOneEach(made, ahead.clock.now());
      }
      expect(all.flatMap(failures)).toEqual([]);
    });

    it('a service that stops in the middle leaves nothing half done; another one goes on', async () => {
      const replica = await service.replica(); // stops in the middle of this test
      const owner = await anAccount(service.api);
      const made: Made[] = [];
      for (let index = 0; index < 6; index += 1) {
        made.push(await subscribe(owner, `${index}`, { interval: 'day' }));
      }
      for (const { clock } of [service, replica]) clock.move({ days: 250 });
      const sweep = replica.sweep();
      await replica.stop();
      await sweep;
      expect(failures(replica)).toEqual([]);
      await service.sweep();
      await expectOneEach(made, service.clock.now());
    });

    it('connections that are cut in the middle cost no period and double none', async () => {
      const owner = await anAccount(service.api);
      const made: Made[] = [];
      for (let index = 0; index < 6; index += 1) {
        made.push(await subscribe(owner, `${index}`, { interval: 'day' }));
      }
      service.clock.move({ days: 400 });
      let swept = false;
      const sweep = service.sweep().finally(() => (swept = true));
      while (!swept) {
        await service.sql(
          `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
           WHERE datname = current_database() AND pid <> pg_backend_pid() AND query LIKE '%payment_requests%'`,
        );
      }
      await sweep;
      expect(failures(service)).not.toEqual([]);
      await service.sweep();
      await expectOneEach(made, service.clock.now());
    });

    it(`a cancel ends it: nothing is asked for afterwards (${rounds(12)} rounds)`, async () => {
      const replica = await aReplica();
      for (let round = 0; round < rounds(12); round += 1) {
        const owner = await anOwner(service.api);
        const { id } = await subscribe(owner, 'r', { interval: 'day' });
        for (const { clock } of [service, replica]) clock.move({ days: 1 });
        const admin = await asAdmin();
        const [canceled] = await Promise.all([
          admin.delete(`${PATH}/${id}`),
          service.sweep(),
          replica.sweep(),
        ]);
        expect(canceled.status).toBe(200);
        for (const { clock } of [service, replica]) clock.move({ days: 1 });
        await service.sweep();
        const asked = await askedBy(owner);
        expect([1, 2]).toContain(asked.length);
        const canceledAt = new Date(canceled.body.canceled_at);
        expect(asked.filter(({ created_at }) => created_at >= canceledAt)).toEqual([]);
        expect(await nextOf(id)).toBeNull();
      }
    });

    it(`a closing and a creation: never both (${rounds(12)} rounds)`, async () => {
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

  describe('What cannot be asked for', () => {
    /** Subscriptions like this one, as many as it takes. */
    async function alike({ id }: Made, count: number): Promise<string[]> {
      const ids = Array.from({ length: count }, () => newId('sub', service.clock.now()));
      await service.sql(
        `INSERT INTO subscriptions SELECT (jsonb_populate_record(s, jsonb_build_object('id', copy))).*
         FROM subscriptions s, unnest($2::text[]) AS copy WHERE s.id = $1`,
        [id, ids],
      );
      return [id, ...ids];
    }

    it('keeps nothing else waiting, in the same account or another, and is tried again', async () => {
      const [owner, other] = [await anAccount(service.api), await anAccount(service.api)];
      const stuck = await alike(await subscribe(owner, 'stuck', { interval: 'day' }), 120);
      await service.sql("UPDATE subscriptions SET currency = 'EUR' WHERE id = ANY ($1)", [stuck]); // refused
      await service.sql(`CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN RAISE EXCEPTION 'the disk is odd about %', NEW.reference; END $$`);
      await service.sql(`CREATE TRIGGER odd BEFORE INSERT ON payment_requests
        FOR EACH ROW WHEN (NEW.reference = 'broken') EXECUTE FUNCTION refuse()`);
      await service.sql('ALTER TABLE payment_requests DISABLE TRIGGER odd');
      await subscribe(owner, 'broken', { interval: 'day' });
      await service.sql('ALTER TABLE payment_requests ENABLE TRIGGER odd');
      await subscribe(owner, 'healthy', { interval: 'day' });
      await subscribe(other, 'healthy', { interval: 'day' });

      service.clock.move({ days: 1 });
      await service.sweep();
      const counted = async (): Promise<object> =>
        Object.fromEntries(
          (
            await service.sql<{ reference: string; count: string }>(
              'SELECT reference, count(*) FROM payment_requests GROUP BY reference',
            )
          ).map(({ reference, count }) => [reference, Number(count)]),
        );
      expect(await counted()).toEqual({ stuck: 1, broken: 1, healthy: 4 });
      const complaints = service.logged.filter((line) => line.includes('could not be billed'));
      expect(complaints).toHaveLength(122);
      expect(complaints.join()).not.toContain('the disk is odd');

      await service.sql("UPDATE subscriptions SET currency = 'USD'");
      await service.sql('DROP TRIGGER odd ON payment_requests');
      await service.sweep();
      expect(await counted()).toEqual({ stuck: 122, broken: 2, healthy: 4 });
    });
  });
});
