import { Call, HttpClient } from './http-client';
import { wait } from '../form';

const ATTACKER = '127.0.0.3';
const MAX_IN_FLIGHT = 100;
/** A crowd keeps its connections: opening thousands of them would slow down the sender. */
const MAX_IDLE_CONNECTIONS = 250;

/** Counts responses by status; `none` are broken connections. */
export type Counts = Readonly<Record<string, number>>;

/** Requests of attackers, until a signal ends them. */
export class Flood {
  private readonly clients: readonly HttpClient[];
  private readonly counts: Record<string, number> = {};
  private inFlight = 0;

  /** @param addresses the addresses of the attackers, which send in turn */
  constructor(
    url: string,
    private readonly end: AbortSignal,
    addresses: readonly string[] = [ATTACKER],
  ) {
    this.clients = addresses.map((address) => new HttpClient(url, address, MAX_IDLE_CONNECTIONS));
    end.addEventListener('abort', () => this.clients.forEach((client) => client.close()));
  }

  /** Sends requests at a rate, however slow the responses are. @returns the responses */
  async atRate(perSecond: number, callOf: (index: number) => Call): Promise<Counts> {
    const start = performance.now();
    for (let index = 0; !this.end.aborted; await wait(5)) {
      const due = ((performance.now() - start) / 1000) * perSecond;
      for (; index < due; index += 1) if (this.inFlight < MAX_IN_FLIGHT) void this.send(callOf(index), index);
    }
    return this.counts;
  }

  /** Sends a number of requests at a time, each as soon as another one has its response. @returns the responses */
  async atOnce(connections: number, callOf: (index: number) => Call): Promise<Counts> {
    let next = 0;
    const connection = async (): Promise<void> => {
      while (!this.end.aborted) await this.send(callOf(next), next++);
    };
    await Promise.all(Array.from({ length: connections }, connection));
    return this.counts;
  }

  /** Sends all requests at the same moment and waits for the responses. */
  async together(calls: readonly Call[]): Promise<Counts> {
    await Promise.all(calls.map((call, index) => this.send(call, index)));
    return this.counts;
  }

  private async send(call: Call, index: number): Promise<void> {
    if (this.end.aborted) return; // a connection that is opened now would not be closed
    this.inFlight += 1;
    const { status } = await this.clients[index % this.clients.length]!.send(call);
    this.inFlight -= 1;
    if (this.end.aborted) return;
    const key = String(status ?? 'none');
    this.counts[key] = (this.counts[key] ?? 0) + 1;
    if (status === null) await wait(10);
  }
}
