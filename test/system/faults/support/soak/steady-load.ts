import { IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks';
import { HonestClient, Login } from './honest-client';
import { Exchange, HttpClient } from './http-client';

const REQUESTS_PER_SECOND = 25;
const LOGIN_EVERY_MS = 5_000;
const ADDRESS = '127.0.0.2';

/** The statuses of documented limits. Other statuses than these and 2xx are failures. */
const LIMITS = [429, 503];

/** Who sends the requests, and where to. */
export interface Setup {
  readonly url: string;
  readonly owners: readonly Login[];
  readonly admin: Login;
}

export interface Served {
  readonly requests: number;
  /** The responses of a documented limit. */
  readonly limited: number;
  /** The other responses that are not 2xx, and broken connections. */
  readonly failures: readonly string[];
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Logins hash a password, so they are not part of the percentiles. */
  readonly longestLoginMs: number;
  /** The p99 of the delays of the clients' own event loop, which are a part of the durations but not the service's. */
  readonly clientDelayMs: number;
}

/** The requests that were sent in one period, also when their responses arrive later. */
class Period {
  private readonly pending: Promise<void>[] = [];
  private readonly durations: number[] = [];
  private readonly loginDurations: number[] = [];
  private readonly failures: string[] = [];
  private readonly delays: IntervalHistogram = monitorEventLoopDelay({ resolution: 1 });
  private limited = 0;

  constructor() {
    this.delays.enable();
  }

  add(exchange: Promise<Exchange>, kind: 'request' | 'login'): void {
    const record = ({ status, text, ms }: Exchange): void => {
      (kind === 'login' ? this.loginDurations : this.durations).push(ms);
      if (status !== null && LIMITS.includes(status)) this.limited += 1;
      else if (status === null || status >= 300) this.failures.push(`${status} ${text}`);
    };
    this.pending.push(exchange.then(record));
  }

  /** Waits for the last response. */
  async served(): Promise<Served> {
    this.delays.disable();
    await Promise.all(this.pending);
    const sorted = this.durations.toSorted((a, b) => a - b);
    const at = (part: number): number => Math.round(sorted[Math.floor((sorted.length - 1) * part)] ?? 0);
    return {
      requests: this.pending.length,
      limited: this.limited,
      failures: this.failures,
      p50Ms: at(0.5),
      p99Ms: at(0.99),
      longestLoginMs: Math.round(Math.max(0, ...this.loginDurations)),
      clientDelayMs: Math.round(this.delays.percentile(99) / 1e6),
    };
  }
}

/** A constant rate of requests of honest clients, whatever the response times are. */
export class SteadyLoad {
  private readonly http: HttpClient;
  private readonly clients: readonly HonestClient[];
  private readonly admin: HonestClient;
  private readonly timers: readonly NodeJS.Timeout[];
  private period = new Period();
  private turn = 0;

  /** Starts to send. */
  constructor(private readonly setup: Setup) {
    this.http = new HttpClient(setup.url, ADDRESS);
    this.clients = setup.owners.map((owner) => new HonestClient(this.http, owner));
    this.admin = new HonestClient(this.http, setup.admin);
    this.timers = [
      setInterval(() => this.period.add(this.nextRequest(), 'request'), 1000 / REQUESTS_PER_SECOND),
      setInterval(() => this.period.add(this.logIn(), 'login'), LOGIN_EVERY_MS),
    ];
  }

  /** Starts a new period. @returns what was served in the last one */
  nextPeriod(): Promise<Served> {
    const last = this.period;
    this.period = new Period();
    return last.served();
  }

  async stop(): Promise<void> {
    for (const timer of this.timers) clearInterval(timer);
    await this.period.served();
    this.http.close();
  }

  /** A second of each client: nine creations, fourteen reads and two refreshes. */
  private nextRequest(): Promise<Exchange> {
    const client = this.clients[Math.floor(this.turn / 25) % this.clients.length]!;
    const place = this.turn % 25;
    this.turn += 1;
    if (place < 5) return client.createTransaction('payment');
    if (place < 7) return this.admin.createTransaction('credit');
    if (place < 9) return client.createPaymentRequest();
    if (place < 15) return client.readTransaction();
    if (place < 18) return client.get('/v1/transactions?limit=20');
    if (place < 21) return client.readPaymentStatus();
    if (place < 23) return client.get('/v1/account/balance');
    return place < 24 ? client.refresh() : this.admin.refresh();
  }

  private logIn(): Promise<Exchange> {
    const { email, password } = this.setup.owners[this.turn % this.setup.owners.length]!;
    return this.http.send({ method: 'POST', path: '/v1/auth/login', body: { email, password } });
  }
}
