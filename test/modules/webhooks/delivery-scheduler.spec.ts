import fc from 'fast-check';
import { EndpointDeliveries } from '../../../src/modules/webhooks/application/endpoint-deliveries';
import { DeliveryScheduler } from '../../../src/modules/webhooks/application/delivery-scheduler';
import { Pace, paces, WebhookEndpoint } from '../../../src/modules/webhooks/domain/webhook-endpoint';
import { WebhookEndpointsRepository } from '../../../src/modules/webhooks/domain/webhook-endpoints.repository';
import { Database } from '../../../src/platform/database/database';
import { Log } from '../../../src/platform/telemetry/log';
import { TestClock } from '../../support/clock';
import { draw, SEED } from '../../support/rounds';
import { until } from '../../support/until';

/** A delivery in progress. */
interface Started {
  readonly endpoint: WebhookEndpoint;
  readonly end: () => void;
}

/** The scheduler with endpoints in memory, whose deliveries end when the test says so. */
class Deliveries {
  readonly started: Started[] = [];
  readonly logged: string[] = [];
  readonly due: WebhookEndpoint[] = [];
  readonly stopping = new AbortController();
  private readonly clock = new TestClock();
  readonly scheduler: DeliveryScheduler;

  constructor() {
    const endpoints: Pick<WebhookEndpointsRepository, 'findDue'> = {
      findDue: async (_now, after, limit) => {
        const from = after === null ? 0 : this.due.findIndex(({ id }) => id === after.id) + 1;
        return this.due.slice(from, from + limit);
      },
    };
    const deliveries: Pick<EndpointDeliveries, 'deliver'> = {
      deliver: ({ id }) =>
        new Promise((resolve) => {
          const endpoint = this.due.find((one) => one.id === id)!;
          const end = (): void => {
            this.due.splice(this.due.indexOf(endpoint), 1);
            resolve();
          };
          this.started.push({ endpoint, end });
        }),
    };
    const database = { runFor: <T>(_holder: string, work: () => T): T => work() };
    this.scheduler = new DeliveryScheduler(
      database as Database,
      endpoints as WebhookEndpointsRepository,
      deliveries as EndpointDeliveries,
      this.clock,
      new Log('info', { write: (line: string) => void this.logged.push(line) }),
    );
  }

  add(accountId: string, signUpNetwork: string | null, pace: Pace = 'new'): WebhookEndpoint {
    const now = this.clock.now();
    const terms = { accountId, url: 'https://example.com/', eventTypes: null, signUpNetwork };
    const endpoint = WebhookEndpoint.create(terms, () => '', now);
    const [durationMs, error] =
      pace === 'slow' ? [14_000, null] : [1, pace === 'failing' ? 'bad_status' : null];
    if (pace !== 'new')
      endpoint.recordAttempts(
        [{ error, durationMs, responseStatus: null, responseBody: null }] as never,
        now,
      );
    expect(endpoint.pace(now)).toBe(pace);
    this.due.push(endpoint);
    return endpoint;
  }

  isStarted(endpoint: WebhookEndpoint): boolean {
    return this.started.some((one) => one.endpoint === endpoint);
  }

  run(): Promise<boolean> {
    return this.scheduler.run(this.clock.now(), this.stopping.signal);
  }

  async stop(): Promise<void> {
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
    await deliveries.stop();
    await run;
  });

  /** Starts what can be started. */
  const settle = async (): Promise<void> => {
    for (let count = -1; count < deliveries.started.length;) {
      count = deliveries.started.length;
      await new Promise((resolve) => setTimeout(resolve, 80));
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
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const endpoint = deliveries.add('acc_1', null);
    run = deliveries.run();
    await vi.waitFor(() => expect(deliveries.isStarted(endpoint)).toBe(true));
    deliveries.due.splice(0);
    await vi.advanceTimersByTimeAsync(60_000);
    vi.useRealTimers();
    expect(await run).toBe(false);
    expect(deliveries.logged.join()).toContain(
      `The deliveries to the webhook endpoint ${endpoint.id} were postponed`,
    );
  });
});
