import { CookieJar, TestProvider } from '../../../support/openid-provider';
import { Api } from '../../../support/api';
import { TestService } from '../../../support/service';

const FLOW = 'countinghouse_sign_in';
const SESSION = 'countinghouse_console';

export const callbackOf = (provider: string): string =>
  `https://pay.countinghouse.test/console/session/oidc/${provider}/callback`;

/** What the service makes of the response of a provider. */
export interface Outcome {
  /** The code of the error that the sign-in page shows; null for a sign-in. */
  readonly error: string | null;
  /** The cookie of the session; null without one. */
  readonly cookie: string | null;
  readonly location: string;
}

/** A sign-in through a provider, step by step. */
export class ProviderSignIn {
  private readonly browser = new CookieJar();

  constructor(private readonly service: TestService) {}

  /** @returns where the service sends the browser */
  async begin(provider: string, query = ''): Promise<URL> {
    const response = await this.browser.get(`${this.service.url}/console/session/oidc/${provider}${query}`);
    expect(response.status).toBe(303);
    return new URL(response.headers.get('location')!);
  }

  /** Brings the response of the provider to a replica. */
  async finish(response: URL, { url } = this.service): Promise<Outcome> {
    this.browser.setCookie(url, FLOW, this.flow ?? '');
    const reply = await this.browser.get(`${url}${response.pathname}${response.search}`);
    const location = reply.headers.get('location')!;
    expect(reply.status).toBe(303);
    const session = reply.headers.getSetCookie().find((each) => each.startsWith(`${SESSION}=`));
    return {
      error: new URL(location, url).searchParams.get('sign_in'),
      cookie: session?.split(';')[0] ?? null,
      location,
    };
  }

  /** Begins, and signs in at the provider. @returns the address with its response, to which it sends the browser */
  async respond(name: string, provider: TestProvider, query = ''): Promise<URL> {
    return provider.respond((await this.begin(name, query)).href, this.browser);
  }

  /** The cookie of the sign-in that has begun. */
  get flow(): string | null {
    return this.browser.cookie(this.service.url, FLOW);
  }

  set flow(value: string | null) {
    this.browser.setCookie(this.service.url, FLOW, value ?? '');
  }
}

export interface OpenSession {
  readonly user: {
    readonly id: string;
    readonly email: string;
    readonly name: string;
    readonly role: string;
  };
  readonly mustEnrol: boolean;
  readonly api: Api;
  readonly cookie: string;
}

/** What the console reads of a session. @returns null when it has ended */
export async function readSession(service: TestService, cookie: string | null): Promise<OpenSession | null> {
  const response = await fetch(`${service.url}/console/session/refresh`, {
    method: 'POST',
    headers: { 'x-console': '1', ...(cookie !== null && { cookie }) },
  });
  if (response.status !== 200) return null;
  const { user, access_token, must_enrol } = (await response.json()) as {
    user: OpenSession['user'];
    access_token: string;
    must_enrol: boolean;
  };
  const renewed = response.headers.get('set-cookie')!.split(';')[0]!;
  return { user, mustEnrol: must_enrol, api: service.api.as(access_token), cookie: renewed };
}
