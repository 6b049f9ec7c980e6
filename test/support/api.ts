import { Contract, coreContract } from './contract';

export interface Reply<Body = any> {
  readonly status: number;
  readonly body: Body;
  readonly headers: Headers;
  /** The raw body. */
  readonly text: string;
}

interface Options {
  readonly headers?: Record<string, string>;
}

/** An HTTP client that checks every response against the service's OpenAPI document. */
export class Api {
  private constructor(
    private readonly url: string,
    private readonly contract: Contract,
    private readonly token: string | null,
  ) {}

  static async of(url: string): Promise<Api> {
    return new Api(url, await Contract.of(url), null);
  }

  /** A client of a service without extensions. */
  static async ofCore(url: string): Promise<Api> {
    return new Api(url, await coreContract(url), null);
  }

  /** Returns this client with an access token, or with none. */
  as(token: string | null): Api {
    return new Api(this.url, this.contract, token);
  }

  get<Body = any>(path: string, options?: Options): Promise<Reply<Body>> {
    return this.call('GET', path, undefined, options);
  }

  post<Body = any>(path: string, body: unknown, options?: Options): Promise<Reply<Body>> {
    return this.call('POST', path, JSON.stringify(body), options);
  }

  patch<Body = any>(path: string, body: unknown, options?: Options): Promise<Reply<Body>> {
    return this.call('PATCH', path, JSON.stringify(body), options);
  }

  delete<Body = any>(path: string, body?: unknown, options?: Options): Promise<Reply<Body>> {
    return this.call('DELETE', path, body === undefined ? undefined : JSON.stringify(body), options);
  }

  /** Sends a raw body, which may be invalid JSON. */
  async call<Body = any>(
    method: string,
    path: string,
    body?: string | Buffer,
    options: Options = {},
  ): Promise<Reply<Body>> {
    const headers = {
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(this.token !== null && { authorization: `Bearer ${this.token}` }),
      ...options.headers,
    };
    const response = await fetch(`${this.url}${path}`, {
      method,
      headers,
      body: body as NonNullable<Parameters<typeof fetch>[1]>['body'],
    });
    const text = await response.text();
    const [mediaType] = (response.headers.get('content-type') ?? '').split(';');
    const isOtherFormat = ['text/csv', 'application/xml', 'application/pdf'].includes(mediaType!);
    const reply = {
      status: response.status,
      body: (isOtherFormat ? text : JSON.parse(text)) as Body,
      headers: response.headers,
      text,
    };
    this.contract.check(method, path, reply, isOtherFormat ? mediaType : undefined);
    return reply;
  }
}
