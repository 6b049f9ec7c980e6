import fc from 'fast-check';
import { EventFeed, EventRenderer } from '../../../../src/modules/events';
import { EndpointDeliveries } from '../../../../src/modules/events/webhooks/deliveries/endpoint-deliveries.service';
import { EndpointLeases } from '../../../../src/modules/events/webhooks/deliveries/endpoint-leases.service';
import { Pace, paces } from '../../../../src/modules/events/webhooks/delivery-pace';
import { DeliveryScheduler } from '../../../../src/modules/events/webhooks/deliveries/delivery-scheduler.task';
import { WebhookAttempts } from '../../../../src/modules/events/webhooks/webhook-attempts.service';
import { WebhookMetrics } from '../../../../src/modules/events/webhooks/deliveries/webhook-metrics.service';
import { WebhookDeliveriesRepository } from '../../../../src/modules/events/webhooks/deliveries/webhook-deliveries.repository';
import { WebhookDelivery } from '../../../../src/modules/events/webhooks/deliveries/webhook-delivery';
import { WebhookEndpoint } from '../../../../src/modules/events/webhooks/webhook-endpoint';
import { WebhookEndpointsRepository } from '../../../../src/modules/events/webhooks/webhook-endpoints.repository';
import { AttemptResult } from '../../../../src/modules/events/webhooks/webhook-sender';
import { AuditTrail } from '../../../../src/platform/audit/audit-trail';
import { Database } from '../../../../src/platform/database/database';
import { Log } from '../../../../src/platform/telemetry/log';
import { TestClock } from '../../../support/clock';
import { fakeTimers } from '../../../support/fake-timers';
import { draw, SEED } from '../../../support/rounds';
import { until } from '../../../support/until';

const realSetTimeout = setTimeout;

/** An attempt that ends when the test says so, or at its deadline. */
interface Started {
  readonly endpoint: WebhookEndpoint;
  /** How long the lease of the endpoint lasts from its start on. */
  readonly leaseMs: number;
  readonly end: () => void;
  /** null while it is in progress */
  result: Pick<AttemptResult, 'error'> | null;
}

const event = { accountId: 'acc_1', id: 'evt_1', type: 'transaction.created', createdAt: new Date() };

/** The scheduler with endpoints and deliveries in memory. */
class Deliveries {
  readonly started: Started[] = [];
  readonly logged: string[] = [];
  readonly due: WebhookEndpoint[] = [];
  readonly stopping = new AbortController();
  /** Whether the events of deliveries are no longer kept. */
  haveExpired = false;
  private readonly pending = new Map<WebhookEndpoint, WebhookDelivery[]>();
  private readonly clock = new TestClock();
  readonly scheduler: DeliveryScheduler;

  constructor() {
    const endpoints: Pick<WebhookEndpointsRepository, 'findDue' | 'lock' | 'save'> = {
      findDue: async (now, after, limit) => {
        const from = after === null ? 0 : this.due.findIndex(({ id }) => id === after.id) + 1;
        return this.due
          .slice(from)
          .filter((endpoint) => endpoint.isDue(now))
          .slice(0, limit);
      },
      lock: async (_tx, _accountId, id) => this.due.find((one) => one.id === id) ?? null,
      save: () => undefined,
    };
    const pendingOf = (id: string): WebhookDelivery[] =>
      this.pending
        .get(this.due.find((one) => one.id === id)!)!
        .filter(({ nextAttemptAt }) => nextAttemptAt !== null);
    const deliveries: Pick<WebhookDeliveriesRepository, 'findDue' | 'nextAttemptAt' | 'save'> = {
      findDue: async (_tx, { id }, _now, limit) => pendingOf(id).slice(0, limit),
      nextAttemptAt: async (_tx, { id }) => pendingOf(id)[0]?.nextAttemptAt ?? null,
      save: () => undefined,
    };
    const attempts: Pick<WebhookAttempts, 'attempt'> = {
      attempt: ({ id }, _message, deadline) =>
        new Promise((resolve) => {
          const startedAt = this.clock.now().getTime();
          const endWith = (error: AttemptResult['error']) => () => {
            const durationMs = this.clock.now().getTime() - startedAt;
            one.result ??= { error };
            resolve({ error, durationMs, responseStatus: null, responseBody: null });
          };
          const endpoint = this.due.find((one) => one.id === id)!;
          const leaseMs = endpoint.leasedUntil!.getTime() - startedAt;
          const one: Started = { endpoint, leaseMs, end: endWith(null), result: null };
          deadline?.signal.addEventListener('abort', endWith('timeout'));
          this.started.push(one);
        }),
    };
    const database = {
      runFor: <T>(_holder: string, work: () => T): T => work(),
      transaction: <T>(work: (tx: unknown, now: Date) => Promise<T>) => work(null, this.clock.now()),
    } as unknown as Database;
    this.scheduler = new DeliveryScheduler(
      database,
      endpoints as WebhookEndpointsRepository,
      new EndpointDeliveries(
        new EndpointLeases(
          database,
          endpoints as WebhookEndpointsRepository,
          deliveries as WebhookDeliveriesRepository,
          {} as AuditTrail,
        ),
        { find: async () => (this.haveExpired ? null : event) } as unknown as EventFeed,
        { renderIn: () => ({}) } as unknown as EventRenderer,
        attempts as WebhookAttempts,
        this.clock,
        { recordAttempts: () => undefined } as unknown as WebhookMetrics,
      ),
      this.clock,
      new Log('info', { write: (line: string) => void this.logged.push(line) }),
    );
  }

  /** @param count its due deliveries */
  add(accountId: string, signUpNetwork: string | null, pace: Pace = 'new', count = 1): WebhookEndpoint {
    const now = this.clock.now();
    const terms = {
      accountId,
      url: 'https://example.com/',
      eventTypes: null,
      apiVersion: '2026-11-20',
      signUpNetwork,
    };
    const endpoint = WebhookEndpoint.create(terms, () => '', now);
    const [durationMs, error] =
      pace === 'slow' ? [14_000, null] : [1, pace === 'failing' ? 'bad_status' : null];
    if (pace !== 'new')
      endpoint.recordAttempts(
        [{ error, durationMs, responseStatus: null, responseBody: null }] as never,
        now,
      );
    expect(endpoint.pace(now)).toBe(pace);
    endpoint.makeDue(now);
    this.due.push(endpoint);
    const aDelivery = () => WebhookDelivery.create(endpoint, event, now);
    this.pending.set(endpoint, Array.from({ length: count }, aDelivery));
    return endpoint;
  }

  isStarted(endpoint: WebhookEndpoint): boolean {
    return this.of(endpoint).length > 0;
  }

  of(endpoint: WebhookEndpoint): Started[] {
    return this.started.filter((one) => one.endpoint === endpoint);
  }

  get inProgress(): Started[] {
    return this.started.filter(({ result }) => result === null);
  }

  run(): Promise<boolean> {
    return this.scheduler.run(this.clock.now(), this.stopping.signal);
  }

  stop(): void {
    this.stopping.abort();
    for (const { end } of this.started) end();
  }
}

describe('The scheduler of deliveries', () => {
  let deliveries: Deliveries;
  let run: Promise<boolean>;
  beforeEach(() => {
    deliveries = new Deliveries();
  });
  afterEach(async () => {
    jest.useRealTimers();
    deliveries.stop();
    await run;
  });

  /** Starts what can be started. */
  const settle = async (): Promise<void> => {
    for (let count = -1; count < deliveries.started.length;) {
      count = deliveries.started.length;
      await new Promise((resolve) => realSetTimeout(resolve, 80));
    }
  };

  it.each(paces)('delivers to a %s endpoint while 440 others of 22 accounts never end', async (pace) => {
    for (let index = 0; index < 440; index += 1) deliveries.add(`acc_${index % 22}`, '192.0.2.0/24', pace);
    run = deliveries.run();
    await settle();
    const neighbor = deliveries.add('acc_neighbor', '192.0.2.0/24', pace);
    const stranger = deliveries.add('acc_stranger', '198.51.100.0/24', pace);
    expect(await until(() => deliveries.isStarted(neighbor) && deliveries.isStarted(stranger))).toBe(true);
    expect(deliveries.started.length).toBeLessThan(100);
  });

  it.each(paces)(
    'leaves places of %s endpoints for other networks than one with many accounts',
    async (pace) => {
      for (let index = 0; index < 1_200; index += 1) deliveries.add(`acc_${index}`, '192.0.2.0/24', pace);
      run = deliveries.run();
      await settle();
      const stranger = deliveries.add('acc_stranger', '198.51.100.0/24', pace);
      const unknown = deliveries.add('acc_unknown', null, pace);
      expect(await until(() => deliveries.isStarted(stranger) && deliveries.isStarted(unknown))).toBe(true);
    },
  );

  it(`lets networks and accounts take turns (seed ${SEED})`, async () => {
    const networks = ['192.0.2.0/24', '198.51.100.0/24'];
    for (let index = 0; index < 800; index += 1) deliveries.add(`acc_${index}`, networks[index % 2]!);
    run = deliveries.run();
    await settle();
    const before = deliveries.started.length;
    const stranger = deliveries.add('acc_stranger', '203.0.113.0/24');
    await settle();
    expect(deliveries.isStarted(stranger)).toBe(false); // all places are taken
    const [first, second, third] = draw(fc.integer({ min: 0, max: before - 1 }), 3);
    for (const index of new Set([first!, second!, third!])) deliveries.started[index]!.end();
    expect(await until(() => deliveries.isStarted(stranger))).toBe(true);
    expect(deliveries.started.length - before).toBeLessThanOrEqual(3);
  });

  it('frees the place of a delivery that does not end, and logs it', async () => {
    fakeTimers('setTimeout', 'clearTimeout');
    const endpoint = deliveries.add('acc_1', null);
    run = deliveries.run();
    await jest.advanceTimersByTimeAsync(100);
    expect(deliveries.isStarted(endpoint)).toBe(true);
    deliveries.due.splice(0);
    await jest.advanceTimersByTimeAsync(60_000);
    jest.useRealTimers();
    expect(await run).toBe(false);
    expect(deliveries.logged.join()).toContain(
      `The deliveries to the webhook endpoint ${endpoint.id} were postponed`,
    );
  });

  it('does not take an event that is no longer kept for a failure of its endpoint', async () => {
    deliveries.haveExpired = true;
    const endpoint = deliveries.add('acc_1', null, 'fast');
    run = deliveries.run();
    expect(await until(() => endpoint.leasedUntil === null && endpoint.nextDueAt! > endpoint.createdAt)).toBe(
      true,
    );
    expect([deliveries.started, endpoint.failures]).toEqual([[], 0]);
  });

  describe('with endpoints that turn slow', () => {
    const networks = ['192.0.2.0/24', '198.51.100.0/24', '203.0.113.0/24', '233.252.0.0/24'];
    const addMany = (networkCount: number, accounts: number, each: number, pace: Pace): void => {
      for (const network of networks.slice(0, networkCount))
        for (let index = 0; index < accounts * each; index += 1)
          deliveries.add(`acc_${network}_${index % accounts}`, network, pace);
    };
    const pass = async (ms: number): Promise<void> => {
      await settle();
      await jest.advanceTimersByTimeAsync(ms);
      await settle();
    };
    beforeEach(() => {
      fakeTimers('setTimeout', 'clearTimeout', 'Date');
    });

    it.each([
      ['fast', 17],
      ['new', 34],
    ] as const)('delays a %s one of another network by 2.5 seconds', async (pace, accounts) => {
      addMany(2, accounts, 4, pace);
      run = deliveries.run();
      await settle();
      const stranger = deliveries.add('acc_stranger', 'another', pace);
      await pass(2_400);
      expect(deliveries.isStarted(stranger)).toBe(false); // all places are taken
      await pass(100);
      expect(deliveries.isStarted(stranger)).toBe(true);
    });

    it('begins no more requests after a slow one that succeeded', async () => {
      const endpoint = deliveries.add('acc_1', null, 'fast', 50);
      run = deliveries.run();
      await pass(2_000);
      deliveries.of(endpoint)[0]!.end();
      await pass(100);
      // The next lease is that of a slow endpoint, with one delivery.
      expect(deliveries.of(endpoint).map(({ result }) => result)).toEqual([{ error: null }, null]);
    });

    it('begins no attempt later than 5 seconds after the lease', async () => {
      const endpoint = deliveries.add('acc_1', null, 'fast', 40);
      run = deliveries.run();
      for (let turn = 0; turn < 6; turn += 1) {
        await pass(1_900);
        for (const { end } of deliveries.inProgress) end();
      }
      const leases = deliveries.of(endpoint).map(({ leaseMs }) => leaseMs);
      expect(leases.length).toBeGreaterThan(10);
      expect(Math.min(...leases)).toBeGreaterThan(55_000);
    });

    it('lets 64 overdue ones of a network and 256 in all go on, and ends others', async () => {
      addMany(4, 17, 4, 'fast');
      deliveries.add('acc_stranger', 'another', 'fast');
      run = deliveries.run();
      for (let turn = 0; turn < 3; turn += 1) await pass(2_500);
      expect(deliveries.started).toHaveLength(4 * 17 * 4 + 1);
      const counts = networks.map(
        (network) =>
          deliveries.inProgress.filter(({ endpoint }) => endpoint.signUpNetwork === network).length,
      );
      expect(Math.max(...counts)).toBe(64);
      expect(deliveries.inProgress).toHaveLength(256);
      const ended = deliveries.started.filter(({ result }) => result !== null);
      for (const { endpoint, result } of ended) {
        expect(result).toEqual({ error: 'timeout' });
        expect(endpoint.pace(new Date())).toBe('failing');
      }
    });

    it('lets four overdue ones of an account go on, and begins no more requests to a fifth', async () => {
      for (let index = 0; index < 4; index += 1) deliveries.add('acc_1', null, 'fast');
      run = deliveries.run();
      await pass(2_500);
      expect(deliveries.inProgress).toHaveLength(4);
      const fifth = deliveries.add('acc_1', null, 'fast', 50);
      await settle();
      await pass(1_000);
      deliveries.of(fifth)[0]!.end();
      await settle();
      await pass(1_600);
      deliveries.of(fifth)[1]!.end();
      await pass(800);
      expect(deliveries.of(fifth).map(({ result }) => result?.error)).toEqual([null, null, undefined]);
      await pass(100);
      expect(deliveries.of(fifth)[2]!.result).toEqual({ error: 'timeout' });
    });

    it('begins more requests to an overdue one', async () => {
      const endpoint = deliveries.add('acc_1', null, 'fast', 50);
      run = deliveries.run();
      await pass(1_500);
      deliveries.of(endpoint)[0]!.end();
      await pass(1_500);
      deliveries.of(endpoint)[1]!.end();
      await settle();
      expect(deliveries.of(endpoint).length).toBeGreaterThan(3);
    });

    it.each(['slow', 'failing'] as const)('lets %s ones keep their places', async (pace) => {
      addMany(1, 10, 4, pace);
      run = deliveries.run();
      await settle();
      const { length } = deliveries.started;
      await pass(14_000);
      expect(deliveries.inProgress).toHaveLength(length);
      expect(deliveries.started).toHaveLength(length);
    });

    it('waits at the stop for overdue ones', async () => {
      const endpoint = deliveries.add('acc_1', null, 'fast');
      run = deliveries.run();
      await pass(5_000);
      let hasEnded = false;
      void run.then(() => (hasEnded = true));
      deliveries.stopping.abort();
      await pass(5_000);
      expect(hasEnded).toBe(false);
      deliveries.of(endpoint)[0]!.end();
      await run;
      expect(endpoint.nextDueAt).toBeNull(); // recorded
    });
  });
});
