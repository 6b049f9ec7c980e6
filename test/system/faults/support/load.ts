import fc from 'fast-check';
import { Agent, request } from 'node:http';
import { Api } from '../../../support/api';
import { aTransaction } from '../../../support/request-bodies';
import { anAccount, created, theAdmin } from '../../../support/people';
import { draw } from '../../../support/rounds';
import { wait } from './form';
import { Attempt, outcomeOf } from './history';

/** The number of concurrent connections. */
export const CONNECTIONS = 8;

/** The number of random bodies, which are used in turn. */
const BODIES = 500;
const FUNDS = 1_000_000_000;
const GIVE_UP_AFTER_MS = 60_000;

/** A creation with an Idempotency-Key, which is also its reference. */
export interface Create {
  readonly key: string;
  readonly path: string;
  readonly body: object;
}

/** A client's token and accounts. */
export interface Client {
  readonly token: string;
  readonly accountIds: readonly string[];
}

/** Creates a client with an admin's token and accounts with sufficient balance for refunds. */
export async function prepareClient(url: string, accounts = 4): Promise<Client> {
  const api = await Api.of(url);
  const admin = await theAdmin(api);
  const accountIds: string[] = [];
  for (let index = 0; index < accounts; index += 1) {
    const { accountId } = await anAccount(api);
    await created(admin.api, '/v1/transactions', aTransaction(accountId, { type: 'credit', amount: FUNDS }));
    accountIds.push(accountId);
  }
  return { token: admin.token, accountIds };
}

/** Generates creations; the same seed yields the same ones. Each must be stored once in the end. */
export class Creates {
  readonly given: Create[] = [];
  private readonly drawn: Pick<Create, 'path' | 'body'>[];

  /** @param transfers whether half of them are transfers, each between two of the accounts */
  constructor({ accountIds }: Client, { transfers = false } = {}) {
    const amount = fc.integer({ min: 1, max: 1000 });
    const currency = fc.constant('USD');
    const account_id = fc.constantFrom(...accountIds);
    const type = fc.constantFrom('payment', 'credit', 'refund');
    const transaction = fc
      .record({ account_id, type, amount, currency })
      .map((body) => ({ path: '/v1/transactions', body }));
    const sides = fc.shuffledSubarray([...accountIds], { minLength: transfers ? 2 : 0 });
    const transfer = fc
      .record({ sides, amount, currency })
      .map(({ sides: [from_account_id, to_account_id], ...money }) => ({
        path: '/v1/transfers',
        body: { from_account_id, to_account_id, ...money },
      }));
    this.drawn = draw(transfers ? fc.oneof(transaction, transfer) : transaction, BODIES);
  }

  next(): Create {
    const key = `create ${this.given.length}`;
    const { path, body } = this.drawn[this.given.length % BODIES]!;
    const create = { key, path, body: { ...body, reference: key } };
    this.given.push(create);
    return create;
  }
}

/** Sends requests over its own keep-alive connections, as HTTP client libraries do. */
export class Sender {
  private readonly agent = new Agent({ keepAlive: true });

  constructor(
    private readonly url: string,
    private readonly client: Client,
    private readonly record: (attempt: Attempt) => void,
  ) {}

  async send(create: Create): Promise<Attempt> {
    const sentAtMs = performance.now();
    const response = await this.post(create);
    const attempt = { key: create.key, ...response, sentAtMs, endedAtMs: performance.now() };
    this.record(attempt);
    return attempt;
  }

  /** Sends requests on each connection until there is no next one or an attempt ends the load. */
  async sendMany(next: () => Create | null, goOn: (last: Attempt) => boolean): Promise<void> {
    const connection = async (): Promise<void> => {
      for (let create = next(); create !== null; create = next()) {
        const attempt = await this.send(create);
        if (!goOn(attempt)) return;
        if (outcomeOf(attempt) !== 'acknowledged') await wait(10); // as a client would do after a 503
      }
    };
    await Promise.all(Array.from({ length: CONNECTIONS }, connection));
  }

  /** Repeats each creation until it is acknowledged. @throws Error when one is not */
  async retryAll(creates: readonly Create[]): Promise<void> {
    const left = creates.values();
    const deadline = performance.now() + GIVE_UP_AFTER_MS + creates.length * 20;
    const connection = async (): Promise<void> => {
      for (const create of left) {
        let attempt = await this.send(create);
        while (outcomeOf(attempt) !== 'acknowledged') {
          if (performance.now() > deadline)
            throw new Error(`${create.key} returned ${attempt.status} ${attempt.text}`);
          await wait(20);
          attempt = await this.send(create);
        }
      }
    };
    await Promise.all(Array.from({ length: CONNECTIONS }, connection));
  }

  close(): void {
    this.agent.destroy();
  }

  private post({ key, path, body }: Create): Promise<Pick<Attempt, 'status' | 'text'>> {
    const headers = {
      'content-type': 'application/json',
      authorization: `Bearer ${this.client.token}`,
      'idempotency-key': key,
    };
    return new Promise((resolve) => {
      const broken = (): void => resolve({ status: null, text: '' });
      const options = { method: 'POST', agent: this.agent, headers };
      const sent = request(`${this.url}${path}`, options, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () =>
          resolve({ status: response.statusCode!, text: Buffer.concat(chunks).toString() }),
        );
        response.on('error', broken);
        response.on('close', broken); // has no effect after the end event
      });
      sent.on('error', broken);
      sent.end(JSON.stringify(body));
    });
  }
}
