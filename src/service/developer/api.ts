import { randomUUID } from 'node:crypto';
import { SECOND_MS } from '../../kernel/clock';
import { UsageError } from '../command';
import type { Terminal } from '../terminal';
import { type Configuration, ConfigurationFile } from './configuration';
import { NoResponse, ResponseError } from './failure';

export const DEFAULT_URL = 'http://localhost:3000';

const TIMEOUT_MS = 30 * SECOND_MS;

/** Anything else is not sent: it may be a password that was pasted by mistake. */
const API_KEY = /^ch_[0-9A-Za-z]{43}$/;

/** A whole response. */
export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Buffer;
}

/** The API of one service, with an API key, an access token or none. */
export class Api {
  constructor(
    /** The address of the service, without a slash at the end. */
    readonly url: string,
    private readonly token: string | null,
    private readonly signal?: AbortSignal,
  ) {}

  /** The same API, whose requests end with the signal. */
  until(signal: AbortSignal): Api {
    return new Api(this.url, this.token, signal);
  }

  async get<Body>(path: string): Promise<Body> {
    return bodyOf(await this.send('GET', path));
  }

  async post<Body>(path: string, body: object = {}): Promise<Body> {
    return bodyOf(await this.send('POST', path, body));
  }

  async create<Body>(path: string, body: object): Promise<Body> {
    return bodyOf(await this.send('POST', path, body, { 'Idempotency-Key': randomUUID() }));
  }

  async delete<Body>(path: string): Promise<Body> {
    return bodyOf(await this.send('DELETE', path));
  }

  /** @throws UsageError for a path outside of the API; NoResponse */
  async send(
    method: string,
    path: string,
    body?: object,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Reply> {
    return exchange(
      this.resolve(path),
      {
        method,
        headers: {
          Accept: 'application/json',
          ...(this.token !== null && { Authorization: `Bearer ${this.token}` }),
          ...(body && { 'Content-Type': 'application/json' }),
          ...headers,
        },
        ...(body && { body: JSON.stringify(body) }),
      },
      this.signal,
    );
  }

  /** The token must not reach another host, or a page beside the API. */
  private resolve(path: string): string {
    const prefix = new URL(`${this.url}/v1/`).href;
    const url = path.startsWith('/v1/') ? parseUrl(this.url + path) : null;
    if (!url?.href.startsWith(prefix))
      throw new UsageError('The path must be one of the API, such as /v1/transactions.');
    return url.href;
  }
}

/** Sends a request, without following redirects. @throws NoResponse; the reason of the signal when it is aborted */
export async function exchange(url: string, init: RequestInit, signal?: AbortSignal): Promise<Reply> {
  const timeout = AbortSignal.timeout(TIMEOUT_MS);
  try {
    const response = await fetch(url, {
      ...init,
      redirect: 'manual',
      signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
    });
    const { status, headers } = response;
    return { status, headers, body: Buffer.from(await response.arrayBuffer()) };
  } catch (error) {
    signal?.throwIfAborted();
    throw new NoResponse(`${new URL(url).origin} does not respond (${describeLoss(error)}).`);
  }
}

/** Why there is no response: a system's code, such as ECONNREFUSED. */
export function describeLoss(error: unknown): string {
  const { name, cause } = error as Error;
  if (name === 'TimeoutError') return 'timeout';
  return (cause as NodeJS.ErrnoException | undefined)?.code ?? 'connection';
}

/** @throws ResponseError unless it is a success in JSON */
function bodyOf<Body>(reply: Reply): Body {
  const body = jsonOf(reply);
  if (!isSuccess(reply.status) || body === undefined) throw responseError(reply);
  return body as Body;
}

export function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}

/** @returns undefined for what is not JSON */
export function jsonOf({ body }: Reply): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return undefined;
  }
}

export function responseError(reply: Reply): ResponseError {
  const { status, headers } = reply;
  const retryAfterMs = Math.max(0, Number(headers.get('retry-after')) * SECOND_MS || 0);
  const { error, message } = (jsonOf(reply) ?? {}) as { error?: unknown; message?: unknown };
  if (typeof error === 'string' && typeof message === 'string')
    return new ResponseError(status, error, message, retryAfterMs);
  const what = status >= 300 && status < 400 ? 'a redirect, which is not followed' : 'not one of the service';
  return new ResponseError(
    status,
    'unknown',
    `The response has the status ${status}, and is ${what}. Is the address of the service right?`,
    retryAfterMs,
  );
}

/** @returns null for what is no URL */
export function parseUrl(text: string): URL | null {
  return URL.canParse(text) ? new URL(text) : null;
}

/** @throws UsageError */
export function parseServiceUrl(text: string): string {
  const url = parseUrl(text);
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password || url.search || url.hash)
    throw new UsageError('The address of the service must be like http://localhost:3000.');
  return url.href.replace(/\/+$/, '');
}

/** @throws UsageError, whose message does not repeat the text */
export function parseApiKey(text: string): string {
  const key = text.trim();
  if (!API_KEY.test(key)) throw new UsageError('This is no API key: ch_ and 43 letters and digits.');
  return key;
}

/** The address of the service, without a key. @throws UsageError */
export function serviceUrl({ env }: Terminal, stored: Configuration): string {
  return parseServiceUrl(env['COUNTINGHOUSE_URL'] || stored.url || DEFAULT_URL);
}

/** The API as the environment and `login` say. @throws UsageError; Failure when the configuration cannot be read */
export function connect(terminal: Terminal): Api {
  const { COUNTINGHOUSE_API_KEY: given, COUNTINGHOUSE_URL: otherUrl } = terminal.env;
  const stored = given && otherUrl ? {} : new ConfigurationFile(terminal.env).read();
  const url = serviceUrl(terminal, stored);
  if (given) return new Api(url, parseApiKey(given));
  if (stored.api_key === undefined)
    throw new UsageError('There is no API key: run "countinghouse login", or set COUNTINGHOUSE_API_KEY.');
  if (url !== stored.url)
    throw new UsageError(
      `The stored API key belongs to ${stored.url}, and COUNTINGHOUSE_URL names another service: log in there, or set COUNTINGHOUSE_API_KEY.`,
    );
  return new Api(url, parseApiKey(stored.api_key));
}
