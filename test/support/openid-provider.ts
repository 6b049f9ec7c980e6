import { once } from 'node:events';
import { createServer, IncomingMessage, Server, ServerResponse } from 'node:http';
import { AddressInfo } from 'node:net';
import Provider, { Configuration } from 'oidc-provider';
import { generateKeyPairSync, randomBytes } from 'node:crypto';

const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const SIGNING_KEY = { ...privateKey.export({ format: 'jwk' }), kid: 'test', alg: 'RS256', use: 'sig' };

/** The claims of a person, besides the subject. */
export interface ProviderPerson {
  readonly email?: string;
  /** Some providers send text. */
  readonly email_verified?: boolean | string;
  readonly name?: string;
  readonly groups?: unknown;
}

/** Changes a JSON response of the provider on its way, as somebody who forges it would. */
type Forgery = (body: Record<string, unknown>) => object;

/** A real OpenID Connect provider, at which the person that `present` names signs in without being asked. */
export class TestProvider {
  readonly clientId = 'countinghouse';
  readonly clientSecret = randomBytes(24).toString('base64url');
  /** By subject. */
  readonly people = new Map<string, ProviderPerson>();
  /** The subject of the person at the browser; null for one who refuses to sign in. */
  present: string | null = null;
  /** The paths of the requests of the service. */
  readonly called: string[] = [];
  private readonly forgeries = new Map<string, Forgery>();
  private provider!: Provider;

  private constructor(private readonly server: Server) {}

  /** Listens. The provider works once `open` is called. */
  static async start(): Promise<TestProvider> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new TestProvider(server);
  }

  get issuer(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** @param changes of the configuration of the provider */
  open(redirectUri: string, changes: Configuration = {}): this {
    // The claims are in the id token, as those of most providers are.
    this.provider = quietly(Provider, this.issuer, {
      clients: [
        {
          client_id: this.clientId,
          client_secret: this.clientSecret,
          redirect_uris: [redirectUri],
          post_logout_redirect_uris: [new URL('/console/', redirectUri).href],
        },
      ],
      claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'], groups: ['groups'] },
      conformIdTokenClaims: false,
      cookies: { keys: ['a key of tests'] },
      jwks: { keys: [SIGNING_KEY] },
      features: {
        devInteractions: { enabled: false },
        rpInitiatedLogout: {
          logoutSource: (context, form) => {
            context.body = `<!doctype html><html lang="en"><title>Sign out</title>${form}
              <button form="op.logoutForm" name="logout" value="yes">Sign out here too</button>`;
          },
        },
      },
      ttl: {
        AccessToken: 600,
        AuthorizationCode: 60,
        Grant: 600,
        IdToken: 600,
        Interaction: 600,
        Session: 600,
      },
      findAccount: (_, sub) => ({
        accountId: sub,
        claims: async () => ({ sub, ...this.people.get(sub) }),
      }),
      loadExistingGrant: async ({ oidc }) => {
        const grant = new oidc.provider.Grant({
          clientId: oidc.client!.clientId,
          accountId: oidc.session!.accountId!,
        });
        grant.addOIDCScope('openid email profile groups');
        await grant.save();
        return grant;
      },
      ...changes,
    });
    const respond = this.provider.callback();
    this.server.on('request', (request, response) => {
      if (request.url!.startsWith('/interaction/')) return void this.interact(request, response);
      const path = request.url!.split('?')[0]!;
      if (!path.startsWith('/auth')) this.called.push(path);
      this.forge(path, response);
      void respond(request, response);
    });
    return this;
  }

  /** The settings of the service. */
  settings(name: string, more: object = {}): object {
    const { issuer, clientId: client_id, clientSecret: client_secret } = this;
    return {
      name,
      issuer,
      client_id,
      client_secret,
      scope: 'openid email profile groups',
      admin_groups: ['finance-admins'],
      support_groups: ['finance-support'],
      ...more,
    };
  }

  /** Adds a person, who is at the browser from now on. @returns the subject */
  add(person: ProviderPerson): string {
    const subject = randomBytes(8).toString('hex');
    this.people.set(subject, person);
    this.present = subject;
    return subject;
  }

  /** Changes the next response of a path. */
  forgeNext(path: string, forgery: Forgery): void {
    this.forgeries.set(path, forgery);
  }

  /** Signs the present person in. @returns the address with the response */
  async respond(authorizationUrl: string, browser = new CookieJar()): Promise<URL> {
    for (let next = authorizationUrl, steps = 0; steps < 10; steps += 1) {
      const location = (await browser.get(next)).headers.get('location');
      if (location === null) break;
      next = new URL(location, next).href;
      if (!next.startsWith(this.issuer)) return new URL(next);
    }
    throw new Error('The provider does not send the browser back.');
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  private async interact(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const result =
      this.present === null
        ? { error: 'access_denied' }
        : { login: { accountId: this.present, remember: false } };
    await this.provider.interactionFinished(request, response, result);
  }

  private forge(path: string, response: ServerResponse): void {
    const forgery = this.forgeries.get(path);
    if (forgery === undefined) return;
    this.forgeries.delete(path);
    const end = response.end.bind(response);
    response.end = ((body: Buffer | string) => {
      const forged = JSON.stringify(forgery(JSON.parse(String(body)) as Record<string, unknown>));
      response.setHeader('Content-Length', Buffer.byteLength(forged));
      return end(forged);
    }) as typeof response.end;
  }
}

/** The provider warns of its store in memory, which is what tests want. */
function quietly(...[Type, issuer, configuration]: [typeof Provider, string, Configuration]): Provider {
  const warn = jest.spyOn(console, 'warn').mockReturnValue();
  try {
    return new Type(issuer, configuration);
  } finally {
    warn.mockRestore();
  }
}

/** A browser without pages: it keeps cookies by host, and follows redirects where a test wants it to. */
export class CookieJar {
  private readonly cookies = new Map<string, Map<string, string>>();

  /** Follows no redirect. */
  async get(url: string): Promise<Response> {
    const jar = this.of(url);
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(url, { redirect: 'manual', headers: { ...(cookie && { cookie }) } });
    for (const set of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(set)!;
      if (value === '' || /Max-Age=0|Expires=Thu, 01 Jan 1970/i.test(set)) jar.delete(name!);
      else jar.set(name!, value!);
    }
    return response;
  }

  cookie(url: string, name: string): string | null {
    return this.of(url).get(name) ?? null;
  }

  setCookie(url: string, name: string, value: string): void {
    this.of(url).set(name, value);
  }

  private of(url: string): Map<string, string> {
    const { host } = new URL(url);
    if (!this.cookies.has(host)) this.cookies.set(host, new Map());
    return this.cookies.get(host)!;
  }
}
