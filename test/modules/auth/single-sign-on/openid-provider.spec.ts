import { Socket } from 'node:net';
import { inspect } from 'node:util';
import { OpenIdProvider } from '../../../../src/modules/auth/single-sign-on/openid-provider';
import { providersCheck } from '../../../../src/modules/auth/single-sign-on/single-sign-on.service';
import {
  ProviderSettings,
  singleSignOnSettings,
} from '../../../../src/modules/auth/single-sign-on/single-sign-on.settings';
import { environmentSettings, Settings } from '../../../../src/platform/config/settings';
import { TestClock } from '../../../support/clock';
import { HOSTILE_HTTP, HOSTILE_TLS, HostileServer } from '../../../support/hostile-server';
import { TestProvider } from '../../../support/openid-provider';
import { eventually, until } from '../../../support/until';

const DEADLINE_MS = 300;

/** For the calls to a provider that responds, on a machine that is busy with those that do not. */
const PATIENT_MS = 2_000;

/** For the calls of one sign-in on a slow machine. */
const LIMIT_MS = 5_000;

const REDIRECT_URI = 'https://pay.countinghouse.test/callback';
const CHECKS = { state: 'a state', nonce: 'a nonce', codeVerifier: 'v'.repeat(43) };

const providerAt = (
  issuer: string,
  clientSecret = 'canary-secret',
  deadlineMs = PATIENT_MS,
): OpenIdProvider =>
  new OpenIdProvider(
    { issuer, clientId: 'countinghouse', clientSecret, scope: 'openid' } as ProviderSettings,
    0,
    deadlineMs,
  );

async function failureOf(call: Promise<unknown>): Promise<unknown> {
  const started = performance.now();
  const error = await call.then(
    () => 'no failure',
    (reason: unknown) => reason,
  );
  expect(performance.now() - started).toBeLessThan(LIMIT_MS);
  expect(inspect(error, { depth: 5 })).not.toContain('canary-secret');
  return error;
}

async function expectDiscoveryEnds(protocol: string, behave: (socket: Socket) => void): Promise<void> {
  const server = await HostileServer.start(behave);
  try {
    const provider = providerAt(`${protocol}://127.0.0.1:${server.port}`, undefined, DEADLINE_MS);
    expect(await failureOf(provider.discover())).toMatchObject({ code: 'unavailable' });
    // Node.js gives up a TLS handshake later by itself.
    if (protocol === 'http') expect(await until(() => server.open === 0)).toBe(true);
    await eventually(() => server.accepted).toBeGreaterThan(0);
    const { accepted } = server;
    await failureOf(provider.authorizationUrl(REDIRECT_URI, CHECKS)); // a failure is not remembered
    await eventually(() => server.accepted).toBeGreaterThan(accepted);
  } finally {
    await server.stop();
  }
}

describe('A call of a provider ends by its deadline, and so does its connection, when the other side', () => {
  it.concurrent.each(Object.entries(HOSTILE_HTTP))('%s', (_, behave) => expectDiscoveryEnds('http', behave));
  it.concurrent.each(Object.entries(HOSTILE_TLS))('%s', (_, behave) => expectDiscoveryEnds('https', behave));

  it.concurrent.each(
    ['never responds', 'sends its body byte by byte', 'floods with a body'].flatMap((name) =>
      (['token_endpoint', 'jwks_uri', 'userinfo_endpoint'] as const).map(
        (endpoint) => [name, endpoint, HOSTILE_HTTP[name]!] as const,
      ),
    ),
  )('%s at the %s', async (_, endpoint, behave) => {
    const server = await HostileServer.start(behave);
    const real = (await TestProvider.start()).open(REDIRECT_URI, { conformIdTokenClaims: true });
    try {
      real.forgeNext('/.well-known/openid-configuration', (metadata) => ({
        ...metadata,
        [endpoint]: `http://127.0.0.1:${server.port}/`,
      }));
      const provider = providerAt(real.issuer, real.clientSecret);
      real.add({});
      const response = await real.respond(await provider.authorizationUrl(REDIRECT_URI, CHECKS));
      expect(await failureOf(provider.identify(response, CHECKS))).toMatchObject({ name: 'DomainError' });
      await eventually(() => server.accepted).toBeGreaterThan(0);
      expect(await until(() => server.open === 0)).toBe(true);
    } finally {
      await server.stop();
      await real.stop();
    }
  });
});

describe('What a provider announces', () => {
  let real: TestProvider;

  beforeEach(async () => {
    real = (await TestProvider.start()).open(REDIRECT_URI);
  });
  afterEach(() => real.stop());

  const reads = (): number => real.called.filter((path) => path.startsWith('/.well-known/')).length;

  it('is read once for sign-ins at the same time and later', async () => {
    const provider = providerAt(real.issuer);
    await Promise.all([provider.discover(), provider.authorizationUrl(REDIRECT_URI, CHECKS)]);
    await provider.findSignOutUrl('https://pay.countinghouse.test/console/');
    expect(reads()).toBe(1);
  });

  it('has to be of the issuer of the settings, to the letter', async () => {
    expect(await failureOf(providerAt(`${real.issuer}/`).discover())).toMatchObject({ code: 'unavailable' });
    real.forgeNext('/.well-known/openid-configuration', (metadata) => ({
      ...metadata,
      issuer: 'https://login.example.com',
    }));
    expect(await failureOf(providerAt(real.issuer).discover())).toMatchObject({ code: 'unavailable' });
    await providerAt(real.issuer).discover();
  });

  it('is asked for by `countinghouse doctor`', async () => {
    const settings = Settings.read([environmentSettings, singleSignOnSettings], {
      OIDC_PROVIDERS: JSON.stringify([
        real.settings('acme'),
        { ...real.settings('other'), issuer: `${real.issuer}/x` },
      ]),
    });
    const findings = await providersCheck.run({ settings, clock: new TestClock(), query: null });
    expect(findings).toMatchObject([
      { status: 'ok', message: 'The provider acme can be reached.' },
      { status: 'warning', message: expect.stringContaining('The provider other does not respond') },
    ]);
  });

  it('may be no place to sign out', async () => {
    real.forgeNext(
      '/.well-known/openid-configuration',
      ({ end_session_endpoint: _, ...metadata }) => metadata,
    );
    const provider = providerAt(real.issuer);
    expect(await provider.findSignOutUrl('https://pay.countinghouse.test/console/')).toBeNull();
  });

  it.each(['client_secret_basic', 'client_secret_post'] as const)('may be %s alone', async (method) => {
    const picky = (await TestProvider.start()).open(REDIRECT_URI, {
      clientAuthMethods: [method],
      clientDefaults: { token_endpoint_auth_method: method },
    });
    const provider = providerAt(picky.issuer, picky.clientSecret);
    const subject = picky.add({});
    const response = await picky.respond(await provider.authorizationUrl(REDIRECT_URI, CHECKS));
    expect(await provider.identify(response, CHECKS)).toMatchObject({ issuer: picky.issuer, subject });
    await picky.stop();
  });

  it('does not verify the email of the id token with another one of the userinfo', async () => {
    const provider = new OpenIdProvider(
      {
        ...providerAt(real.issuer, real.clientSecret).settings,
        scope: 'openid email',
        groupsClaim: 'groups',
      },
      0,
    );
    real.add({ email: 'ada@example.com' });
    const response = await real.respond(await provider.authorizationUrl(REDIRECT_URI, CHECKS));
    real.forgeNext('/me', (body) => ({
      ...body,
      email: 'other@example.com',
      email_verified: true,
      groups: ['staff'],
    }));
    expect(await provider.identify(response, CHECKS)).toMatchObject({
      email: 'ada@example.com',
      isEmailVerified: false,
      groups: ['staff'],
    });
  });
});
