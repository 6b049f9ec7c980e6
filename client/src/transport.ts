import { ConnectionError } from './errors.js';

export type Fetch = (request: Request, init?: RequestInit) => Promise<Response>;

export interface RetryOptions {
  /** How often a request is sent at most; 8 by default. 1 turns retries off. */
  readonly attempts?: number;
  /** The longest wait before the second attempt; 200 by default. It doubles with each further attempt. */
  readonly baseDelayMs?: number;
  /** The longest wait without a `Retry-After`; 10,000 by default. */
  readonly maxDelayMs?: number;
  /** How long one attempt may take; 30,000 by default. */
  readonly timeoutMs?: number;
}

/**
 * Sends requests, and repeats those that can be repeated without a second effect: after a lost connection and after 503,
 * all but a `POST` without an `Idempotency-Key`; after 429, which the service sends before it does anything, all.
 */
export class Transport {
  private readonly options: Required<RetryOptions>;

  constructor(
    private readonly fetch: Fetch,
    options: RetryOptions = {},
  ) {
    this.options = { attempts: 8, baseDelayMs: 200, maxDelayMs: 10_000, timeoutMs: 30_000, ...options };
  }

  /**
   * @param isRepeatable whether a second effect does no harm
   * @returns the response, whose body has arrived
   * @throws ConnectionError when the last attempt got no whole response; the reason of the signal when it is aborted
   */
  async send(request: Request, isRepeatable = mayRepeat(request)): Promise<Response> {
    for (let attempt = 1; ; attempt += 1) {
      const result = await this.attempt(request.clone());
      const isLast = attempt >= this.options.attempts;
      if (result instanceof ConnectionError) {
        if (isLast || !isRepeatable) throw result;
      } else if (isLast || !this.isWorthRepeating(result, isRepeatable)) return result;
      await delay(this.waitMs(attempt, result), request.signal);
    }
  }

  /** The body belongs to the attempt, since a connection can be lost before all of it has arrived. */
  private async attempt(request: Request): Promise<Response | ConnectionError> {
    const signal = AbortSignal.any([request.signal, AbortSignal.timeout(this.options.timeoutMs)]);
    try {
      const response = await this.fetch(request, { signal });
      const { status, statusText, headers } = response;
      const body = await response.arrayBuffer();
      return new Response(body.byteLength > 0 ? body : null, { status, statusText, headers });
    } catch (cause) {
      if (request.signal.aborted) throw cause;
      return new ConnectionError('The connection was lost, or the response took too long.', { cause });
    }
  }

  /** Whether the service asks to repeat the request, sooner than an attempt may take. */
  private isWorthRepeating(response: Response, isRepeatable: boolean): boolean {
    const { status } = response;
    if (retryAfterMs(response) > this.options.timeoutMs) return false;
    return status === 429 || (status === 503 && isRepeatable);
  }

  /** Exponential backoff with full jitter, so that clients do not come back all at once; never before `Retry-After`. */
  private waitMs(attempt: number, result: Response | ConnectionError): number {
    const { baseDelayMs, maxDelayMs } = this.options;
    const jitterMs = Math.random() * Math.min(maxDelayMs, baseDelayMs * 2 ** (attempt - 1));
    return jitterMs + (result instanceof Response ? retryAfterMs(result) : 0);
  }
}

function mayRepeat({ method, headers }: Request): boolean {
  return method !== 'POST' || headers.has('Idempotency-Key');
}

function retryAfterMs({ headers }: Response): number {
  const seconds = Number(headers.get('retry-after'));
  return Number.isFinite(seconds) && seconds > 0 ? seconds * 1000 : 0;
}

/** @throws the reason of the signal when it is aborted */
export function delay(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = (): void => {
      clearTimeout(timer);
      // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- the reason of the caller, as fetch has it
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort);
      resolve();
    }, ms);
    if (signal?.aborted) abort();
    else signal?.addEventListener('abort', abort, { once: true });
  });
}
