import { createHmac } from 'node:crypto';
import { TestProvider } from '../../../support/openid-provider';
import { someEmail } from '../../../support/people';
import { startTestService, TestService } from '../../../support/service';
import { callbackOf, Outcome, ProviderSignIn, readSession } from './provider-sign-in';

let service: TestService;
let provider: TestProvider;
let other: TestProvider;

beforeAll(async () => {
  provider = (await TestProvider.start()).open(callbackOf('acme'));
  other = (await TestProvider.start()).open(callbackOf('other'), { conformIdTokenClaims: true });
  service = await startTestService({
    OIDC_PROVIDERS: JSON.stringify([
      provider.settings('acme'),
      other.settings('other'),
      provider.settings('absent', { issuer: 'http://127.0.0.1:1' }),
    ]),
  });
});
afterAll(async () => {
  await service?.stop();
  await Promise.all([provider?.stop(), other?.stop()]);
});

const anAdmin = () => ({ email: someEmail(), groups: ['finance-admins'] });
async function begun(name: 'acme' | 'other' = 'acme'): Promise<[ProviderSignIn, URL]> {
  const signIn = new ProviderSignIn(service);
  return [signIn, await signIn.respond(name, { acme: provider, other }[name])];
}
const users = async (): Promise<number> =>
  (await service.sql<{ count: number }>('SELECT count(*)::int FROM users'))[0]!.count;
const encoded = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const claimsIn = (token: unknown): Record<string, unknown> =>
  JSON.parse(Buffer.from(String(token).split('.')[1]!, 'base64url').toString()) as Record<string, unknown>;

/** Expects that an attack opens no session and creates nobody. */
async function expectRefused(attack: () => Promise<Outcome>, error = 'invalid_credentials'): Promise<void> {
  const before = await users();
  const outcome = await attack();
  expect([outcome.error, outcome.cookie]).toEqual([error, null]);
  expect(outcome.location).toBe(`/console/?sign_in=${error}`);
  expect(await users()).toBe(before);
}

beforeEach(() => void [provider.add(anAdmin()), other.add(anAdmin())]);

describe('A response of the provider is refused', () => {
  it.each<[string, (query: URLSearchParams) => void]>([
    ['without the state', (query) => query.delete('state')],
    ['with another state', (query) => query.set('state', 'x'.repeat(43))],
    ['with two states', (query) => query.append('state', 'x'.repeat(43))],
    ['without the issuer', (query) => query.delete('iss')],
    ['with the issuer of another provider', (query) => query.set('iss', other.issuer)],
    ['without the code', (query) => query.delete('code')],
    ['with another code', (query) => query.set('code', 'x'.repeat(43))],
    ['with two codes', (query) => query.append('code', 'x')],
    ['with an id token beside the code', (query) => query.set('id_token', 'x.y.z')],
    ['with an error beside the code', (query) => query.set('error', 'access_denied')],
  ])('%s', async (_, change) => {
    const [signIn, response] = await begun();
    const query = new URLSearchParams(response.search);
    change(query);
    await expectRefused(() => signIn.finish(new URL(`?${query.toString()}`, response)));
  });

  it('which says that the person refuses', async () => {
    provider.present = null;
    await expectRefused(async () => {
      const [signIn, response] = await begun();
      return signIn.finish(response);
    });
  });

  it.each<[string, (flow: string | null) => string | null]>([
    ['without the cookie of the browser that began', () => null],
    [
      'with a cookie that was changed',
      (flow) => flow!.replace(/.{20}$/, (end) => `${end[0] === 'A' ? 'B' : 'A'}${end.slice(1)}`),
    ],
    ['with a cookie that nobody has sealed', () => 'x.y'],
    ['with a cookie that is cut', (flow) => flow!.slice(0, 20)],
  ])('%s', async (_, change) => {
    const [signIn, response] = await begun();
    signIn.flow = change(signIn.flow);
    await expectRefused(() => signIn.finish(response), 'invalid_request');
  });

  it('after ten minutes', async () => {
    const [signIn, response] = await begun();
    service.clock.move({ minutes: 10 });
    await expectRefused(() => signIn.finish(response), 'invalid_request');
  });

  it('a second time, also with the cookie', async () => {
    const [signIn, response] = await begun();
    const { flow } = signIn;
    expect((await signIn.finish(response)).error).toBeNull();
    expect(signIn.flow).toBeNull();
    signIn.flow = flow;
    await expectRefused(() => signIn.finish(response));
  });

  it('in the browser of somebody else, whom it would sign in as the attacker', async () => {
    const [, response] = await begun();
    const [victim] = await begun();
    await expectRefused(() => victim.finish(response));
    await expectRefused(() => new ProviderSignIn(service).finish(response), 'invalid_request');
  });

  it('with a stolen code in the sign-in of the thief, who lacks its PKCE verifier', async () => {
    const [, stolen] = await begun();
    const [thief, response] = await begun();
    response.searchParams.set('code', stolen.searchParams.get('code')!);
    await expectRefused(() => thief.finish(response));
  });

  it('at the address of another provider, to which its code is never sent', async () => {
    const [signIn, response] = await begun('acme');
    const mixedUp = new URL(`${new URL(callbackOf('other')).pathname}${response.search}`, response);
    await expectRefused(() => signIn.finish(mixedUp), 'invalid_request');

    // The provider of the attacker begins both, so that the states are the same.
    const elsewhere = new ProviderSignIn(service);
    const { searchParams } = await elsewhere.begin('other');
    mixedUp.searchParams.set('state', searchParams.get('state')!);
    const called = other.called.length;
    await expectRefused(() => elsewhere.finish(mixedUp));
    expect(other.called).toHaveLength(called);
  });
});

describe('An id token is refused', () => {
  const forged =
    (forge: (claims: Record<string, unknown>, parts: string[]) => string) => async (): Promise<Outcome> => {
      const [signIn, response] = await begun();
      provider.forgeNext('/token', (body) => {
        const parts = String(body['id_token']).split('.');
        return { ...body, id_token: forge(claimsIn(body['id_token']), parts) };
      });
      return signIn.finish(response);
    };

  it.each<[string, (claims: Record<string, unknown>, parts: string[]) => string]>([
    ['without a signature', (_, [head, claims]) => `${head}.${claims}.`],
    ['of the algorithm none', (claims) => `${encoded({ alg: 'none' })}.${encoded(claims)}.`],
    [
      'with groups that were added',
      (claims, [head, , signature]) =>
        `${head}.${encoded({ ...claims, groups: ['finance-admins', 'others'] })}.${signature}`,
    ],
    [
      'with another nonce',
      (claims, [head, , mark]) => `${head}.${encoded({ ...claims, nonce: 'x' })}.${mark}`,
    ],
    [
      'with another audience',
      (claims, [head, , mark]) => `${head}.${encoded({ ...claims, aud: 'x' })}.${mark}`,
    ],
    [
      'with another issuer',
      (claims, [head, , mark]) => `${head}.${encoded({ ...claims, iss: other.issuer })}.${mark}`,
    ],
    ['that has expired', (claims, [head, , mark]) => `${head}.${encoded({ ...claims, exp: 1 })}.${mark}`],
    [
      'signed with the secret of the client',
      (claims) => {
        const text = `${encoded({ alg: 'HS256' })}.${encoded(claims)}`;
        return `${text}.${createHmac('sha256', provider.clientSecret).update(text).digest('base64url')}`;
      },
    ],
    ['that is none', () => 'x'],
  ])('%s', async (_, forge) => {
    await expectRefused(forged(forge));
  });

  it('of another sign-in, whose nonce is another', async () => {
    const [first, firstResponse] = await begun();
    let token: unknown;
    provider.forgeNext('/token', (body) => {
      token = body['id_token'];
      return body;
    });
    expect((await first.finish(firstResponse)).error).toBeNull();
    await expectRefused(forged(() => String(token)));
  });

  it('that is missing', async () => {
    const [signIn, response] = await begun();
    provider.forgeNext('/token', ({ id_token: _, ...body }) => body);
    await expectRefused(() => signIn.finish(response));
  });
});

describe('Groups are taken from the provider alone', () => {
  it('not from the userinfo of another subject', async () => {
    const [signIn, response] = await begun('other');
    const admin = other.present;
    other.add({ email: someEmail() });
    other.forgeNext('/me', (body) => ({ ...body, sub: `${admin}x` }));
    await expectRefused(() => signIn.finish(response));
  });

  it.each([
    ['', { email: someEmail() }],
    [', and lacks an email', {}],
  ])('not from the userinfo, if the id token has some%s', async (_, person) => {
    provider.add({ ...person, groups: [] });
    const [signIn, response] = await begun();
    provider.forgeNext('/me', (body) => ({ ...body, email: someEmail(), groups: ['finance-admins'] }));
    await expectRefused(() => signIn.finish(response), 'forbidden');
  });

  it('not from beside the id token, nor from the address', async () => {
    provider.add({ email: someEmail(), groups: ['staff'] });
    const [signIn, response] = await begun();
    provider.forgeNext('/token', (body) => ({ ...body, groups: ['finance-admins'] }));
    response.searchParams.append('groups', 'finance-admins');
    await expectRefused(() => signIn.finish(response), 'forbidden');
  });

  it('which has to be the issuer of the settings', async () => {
    const [signIn, response] = await begun('other');
    other.forgeNext('/me', (body) => ({ ...body, iss: provider.issuer, groups: ['staff'] }));
    await expectRefused(() => signIn.finish(response), 'forbidden');
  });
});

describe('The sign-in', () => {
  it('knows no other provider', async () => {
    for (const name of ['none', 'acme%2F..', '__proto__', 'constructor']) {
      const response = await fetch(`${service.url}/console/session/oidc/${name}`, { redirect: 'manual' });
      expect(response.headers.get('location')).toBe('/console/?sign_in=not_found');
    }
  });

  it('says that a provider is not there, without which the service has started', async () => {
    const response = await fetch(`${service.url}/console/session/oidc/absent`, { redirect: 'manual' });
    expect(response.headers.get('location')).toBe('/console/?sign_in=unavailable');
    expect(response.headers.get('set-cookie')).toBeNull();
  });

  it('tells nobody what went wrong at the provider, but the log', async () => {
    const [signIn, response] = await begun();
    response.searchParams.set('error', 'canary-of-an-attacker');
    response.searchParams.delete('code');
    const { location } = await signIn.finish(response);
    expect(location).toBe('/console/?sign_in=invalid_credentials');
    const log = service.logged.join('');
    expect(log).toContain('The sign-in through acme failed');
    for (const secret of ['canary-of-an-attacker', provider.clientSecret, signIn.flow ?? 'canary'])
      expect(log).not.toContain(secret);
  });

  it('is limited by the network of the client', async () => {
    const limit = "shared_limits WHERE key LIKE 'single-sign-on%'";
    const [signIn, response] = await begun();
    const [row] = await service.sql<{ key: string }>(`SELECT key FROM ${limit}`);
    await service.sql('UPDATE shared_limits SET points = 1000 WHERE key = $1', [row!.key]);
    const called = provider.called.length;
    await expectRefused(() => signIn.finish(response), 'rate_limited');
    expect(provider.called).toHaveLength(called);
    await service.sql(`DELETE FROM ${limit}`);
  });

  it('works for whom none of this concerns', async () => {
    const [signIn, response] = await begun();
    const { cookie } = await signIn.finish(response);
    expect((await readSession(service, cookie))!.user.role).toBe('admin');
  });
});
