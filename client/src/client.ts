import createClient, {
  type Client,
  type ClientPathsWithMethod,
  type MaybeOptionalInit,
  type MethodResponse,
} from 'openapi-fetch';
import { Authorization, type Credentials } from './credentials.js';
import { apiErrorOf, WaitTimeoutError } from './errors.js';
import { creations } from './generated/creations.js';
import type { components, paths } from './generated/schema.js';
import { type Page, walk } from './lists.js';
import { delay, type Fetch, type RetryOptions, Transport } from './transport.js';

type Api = Client<paths, 'application/json'>;
type Method = 'get' | 'post' | 'patch' | 'delete';
type Path<M extends Method> = ClientPathsWithMethod<Api, M>;
type Init<P extends keyof paths, M extends Method> =
  undefined extends MaybeOptionalInit<paths[P], M>
    ? [init?: MaybeOptionalInit<paths[P], M>]
    : [init: MaybeOptionalInit<paths[P], M>];
type Call<M extends Method> = <P extends Path<M>>(
  path: P,
  ...init: Init<P, M>
) => Promise<MethodResponse<Api, M, P>>;

type QueryOf<P extends keyof paths> = paths[P] extends { get: { parameters: { query?: infer Query } } }
  ? [Query] extends [undefined]
    ? object
    : Query
  : object;
/** The operations that return a list are those whose pages have a limit. */
type ListPath = {
  [P in Path<'get'>]: 'limit' extends keyof NonNullable<QueryOf<P>> ? P : never;
}[Path<'get'>];
type Item<P extends ListPath> = MethodResponse<Api, 'get', P> extends { data: (infer T)[] } ? T : never;

export interface ClientOptions {
  /** For example `https://api.example.com`. */
  readonly baseUrl: string;
  /** Without them, only operations that need no token can be called. */
  readonly credentials?: Credentials;
  readonly retry?: RetryOptions;
  /** Sends the requests; the global `fetch` by default. */
  readonly fetch?: Fetch;
}

export interface WaitOptions {
  /** How long to wait at most; 10 minutes by default. */
  readonly timeoutMs?: number;
  /** The time between two requests; 2,000 by default. */
  readonly intervalMs?: number;
  readonly signal?: AbortSignal;
}

/**
 * A client of the API. Its methods return the body of the response, typed by the path, and throw `ApiError` for a
 * response that is not a success and `ConnectionError` when there is none. Creations get an `Idempotency-Key`, so that
 * they can be repeated when a connection is lost.
 */
export class Countinghouse {
  readonly get = this.method('get');
  readonly post = this.method('post');
  readonly patch = this.method('patch');
  readonly delete = this.method('delete');

  private readonly api: Api;
  private readonly transport: Transport;
  private readonly authorization: Authorization;

  constructor({ baseUrl, credentials, retry, fetch }: ClientOptions) {
    const url = baseUrl.replace(/\/+$/, '');
    this.transport = new Transport(fetch ?? ((request, init) => globalThis.fetch(request, init)), retry);
    this.authorization = new Authorization(credentials, this.transport, url);
    this.api = createClient<paths, 'application/json'>({
      baseUrl: url,
      fetch: (request) => this.send(request),
    });
    this.api.use({
      onRequest: ({ request, schemaPath }) => {
        const isCreation = request.method === 'POST' && creations.has(schemaPath);
        if (isCreation && !request.headers.has('Idempotency-Key')) {
          request.headers.set('Idempotency-Key', crypto.randomUUID());
        }
      },
    });
  }

  /** Iterates over all items of a list, page by page: `for await (const item of client.list('/v1/transactions'))`. */
  list<P extends ListPath>(path: P, ...[init]: Init<P, 'get'>): AsyncGenerator<Item<P>, void, undefined> {
    const given = init;
    const get = this.get as (path: string, init: object) => Promise<unknown>;
    const pages = walk(
      (query) => get(path, { ...given, params: { ...given?.params, query } }) as Promise<Page>,
      given?.params?.query,
    );
    return pages as AsyncGenerator<Item<P>, void, undefined>;
  }

  /**
   * Waits until a payment request is paid, has failed or was canceled.
   * @throws WaitTimeoutError when it is still pending after the timeout; the reason of the signal when it is aborted
   */
  async waitForPayment(
    paymentId: string,
    { timeoutMs = 600_000, intervalMs = 2_000, signal }: WaitOptions = {},
  ): Promise<components['schemas']['PaymentRequestStatusResponse']> {
    const end = performance.now() + timeoutMs;
    for (;;) {
      const params = { path: { payment_id: paymentId } };
      const payment = await this.get('/v1/payments/{payment_id}/status', { params, signal });
      if (payment.status !== 'pending') return payment;
      if (performance.now() + intervalMs > end) {
        throw new WaitTimeoutError(`${paymentId} is still pending after ${timeoutMs} ms.`);
      }
      await delay(intervalMs, signal);
    }
  }

  private method<M extends Method>(method: M): Call<M> {
    const call = async (path: string, init?: object): Promise<unknown> => {
      const { data, error, response } = await this.api.request(method, path as never, init as never);
      if (!response.ok) throw apiErrorOf(response, error);
      return data;
    };
    return call as unknown as Call<M>;
  }

  /** Sends a request with a token, and once more with another one if the service rejects the token. */
  private async send(request: Request): Promise<Response> {
    const token = await this.authorization.token();
    const response = await this.transport.send(withToken(request, token));
    if (response.status !== 401 || !(await isUnauthorized(response.clone()))) return response;
    const other = await this.authorization.tokenInsteadOf(token);
    return other === null ? response : this.transport.send(withToken(request, other));
  }
}

function withToken(request: Request, token: string | null): Request {
  const copy = request.clone();
  if (token !== null) copy.headers.set('Authorization', `Bearer ${token}`);
  return copy;
}

async function isUnauthorized(response: Response): Promise<boolean> {
  const body = (await response.json().catch(() => null)) as { error?: unknown } | null;
  return body?.error === 'unauthorized';
}
