import { apiErrorOf } from './errors.js';
import type { components } from './generated/schema.js';
import type { Transport } from './transport.js';

export type Tokens = Pick<components['schemas']['TokensResponse'], 'access_token' | 'refresh_token'>;

/** A login, with which the client logs in at the first request and whenever its session has ended. */
export interface Login {
  readonly email: string;
  readonly password: string;
  /** Returns a code of the second factor, where the user has one. */
  readonly otp?: () => string | Promise<string>;
}

/** How the client proves who it is. */
export type Credentials =
  | { readonly apiKey: string }
  | { readonly login: Login; readonly onTokens?: (tokens: Tokens) => void }
  /** The tokens of an earlier login. `onTokens` gets the new ones after each refresh. */
  | { readonly tokens: Tokens; readonly onTokens?: (tokens: Tokens) => void };

/** Gives requests a token, and renews it when the service rejects it. */
export class Authorization {
  private tokens: Tokens | undefined;
  private renewal: Promise<Tokens> | undefined;

  constructor(
    private readonly credentials: Credentials | undefined,
    private readonly transport: Transport,
    private readonly baseUrl: string,
  ) {
    if (credentials && 'tokens' in credentials) this.tokens = credentials.tokens;
    if (credentials && 'apiKey' in credentials && !credentials.apiKey)
      throw new TypeError('credentials.apiKey is empty. Is the environment variable set?');
  }

  /** @returns null for a client without credentials @throws ApiError when the login fails */
  async token(): Promise<string | null> {
    if (this.credentials === undefined) return null;
    if ('apiKey' in this.credentials) return this.credentials.apiKey;
    return (this.tokens ?? (await this.renewOnce())).access_token;
  }

  /**
   * Returns a token in place of one that the service rejected. All requests that wait for it share one refresh.
   * @returns null where there is none: a client without a login, or with an API key
   */
  async tokenInsteadOf(rejected: string | null): Promise<string | null> {
    if (rejected === null || this.credentials === undefined || 'apiKey' in this.credentials) return null;
    if (this.tokens && this.tokens.access_token !== rejected) return this.tokens.access_token;
    return (await this.renewOnce()).access_token;
  }

  private renewOnce(): Promise<Tokens> {
    this.renewal ??= this.renew().finally(() => (this.renewal = undefined));
    return this.renewal;
  }

  private async renew(): Promise<Tokens> {
    const credentials = this.credentials as Exclude<Credentials, { apiKey: string }>;
    const refreshed =
      this.tokens && (await this.post('refresh', { refresh_token: this.tokens.refresh_token }));
    const response =
      refreshed?.status !== 200 && 'login' in credentials
        ? await this.post('login', await loginBodyOf(credentials.login))
        : refreshed;
    const body: unknown = await response!.json();
    if (!response!.ok) throw apiErrorOf(response!, body);
    this.tokens = body as Tokens;
    credentials.onTokens?.(this.tokens);
    return this.tokens;
  }

  /** May be repeated: for a few seconds, a refresh token whose response was lost can be used again. */
  private post(operation: 'login' | 'refresh', body: object): Promise<Response> {
    const request = new Request(`${this.baseUrl}/v1/auth/${operation}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
    return this.transport.send(request, true);
  }
}

async function loginBodyOf({ email, password, otp }: Login): Promise<object> {
  return { email, password, ...(otp && { otp: await otp() }) };
}
