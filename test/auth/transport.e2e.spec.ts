import { readFileSync } from 'node:fs';
import { request } from 'node:https';
import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { readConfig } from '../../src/platform/config/config';
import { Log } from '../../src/platform/telemetry/log';
import { Service, startService } from '../../src/service';
import { TestClock } from '../support/clock';
import { createDatabase, dropDatabase } from '../support/databases';
import { created, logIn, PASSWORD, someEmail } from '../support/people';
import { startTestService, TestService } from '../support/service';

const CLIENT = '203.0.113.7';
/** An address of this machine that is not loopback, so that a caller comes from there. */
const OUTSIDE = Object.values(networkInterfaces())
  .flat()
  .find((address) => address?.family === 'IPv4' && !address.internal)?.address;

describe('passwords come over HTTPS (interface section 1)', () => {
  const services: TestService[] = [];
  afterEach(async () => {
    for (const service of services.splice(0)) await service.stop();
  });

  async function production(env: NodeJS.ProcessEnv = {}): Promise<TestService> {
    const service = await startTestService({ NODE_ENV: 'production', ...env });
    services.push(service);
    return service;
  }

  /** What a login is answered that comes over plain HTTP to `host`, with these headers. */
  async function outcome(service: TestService, headers: Record<string, string> = {}, host = '127.0.0.1') {
    const email = someEmail();
    await created(service.api, '/v1/users', { email, password: PASSWORD });
    const url = `http://${host}:${new URL(service.url).port}/v1/auth/login`;
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ email, password: PASSWORD }),
    });
    const body = (await response.json()) as { error?: string; message?: string };
    if (response.status === 400) {
      expect(body).toEqual({ error: 'invalid_request', message: expect.stringContaining('HTTPS') });
    }
    return response.status;
  }

  it('which loopback is let off', async () => {
    expect(await outcome(await production())).toBe(200);
  });

  it('which a forged header does not stand for, where no proxy is trusted', async () => {
    const service = await production();
    expect(await outcome(service, { 'x-forwarded-for': CLIENT, 'x-forwarded-proto': 'http' })).toBe(200);
    const reply = await service.api.get('/health/live', { headers: { 'x-forwarded-proto': 'https' } });
    expect(reply.status).toBe(200);
  });

  it.each([
    ['https', { 'x-forwarded-proto': 'https' }, 200],
    ['http', { 'x-forwarded-proto': 'http' }, 400],
    ['nothing', {}, 400],
    ['https, forged, and then http', { 'x-forwarded-proto': 'https, http' }, 400],
    ['HTTPS in another header', { forwarded: 'proto=https', 'x-forwarded-ssl': 'on' }, 400],
  ])('where a trusted proxy says of a client: %s', async (_, headers, status) => {
    const service = await production({ TRUSTED_PROXIES: '127.0.0.1' });
    expect(await outcome(service, { 'x-forwarded-for': CLIENT, ...headers })).toBe(status);
  });

  it('which a client cannot get round by calling itself loopback through the proxy', async () => {
    const service = await production({ TRUSTED_PROXIES: '127.0.0.1/32' });
    expect(await outcome(service, { 'x-forwarded-for': `127.0.0.1, ${CLIENT}` })).toBe(400);
    expect(await outcome(service, { 'x-forwarded-for': 'unknown' })).toBe(400);
  });

  it('for refresh tokens and changes of passwords likewise', async () => {
    const service = await production({ TRUSTED_PROXIES: '127.0.0.1' });
    const email = someEmail();
    await created(service.api, '/v1/users', { email, password: PASSWORD });
    const person = await logIn(service.api, email);
    const headers = { 'x-forwarded-for': CLIENT };
    const replies = [
      await service.api.post('/v1/auth/refresh', { refresh_token: person.refreshToken }, { headers }),
      await person.api.post(
        '/v1/auth/password',
        { current_password: PASSWORD, password: 'new horse battery' },
        { headers },
      ),
    ];
    expect(replies.map(({ status, body }) => [status, body.error])).toEqual(
      Array(2).fill([400, 'invalid_request']),
    );
  });

  it('unless ALLOW_INSECURE_HTTP lifts the rule, or it is not production', async () => {
    const headers = { 'x-forwarded-for': CLIENT };
    expect(
      await outcome(await production({ TRUSTED_PROXIES: '127.0.0.1', ALLOW_INSECURE_HTTP: 'true' }), headers),
    ).toBe(200);
    expect(await outcome(await production({ TRUSTED_PROXIES: '127.0.0.1', NODE_ENV: 'test' }), headers)).toBe(
      200,
    );
  });

  // Only where this machine has a second address: the same rule, with a caller that really is elsewhere.
  if (OUTSIDE !== undefined) {
    it('from another address: with no proxy, a forged one, and one that is trusted', async () => {
      const [none, other, trusted] = [
        await production(),
        await production({ TRUSTED_PROXIES: '198.51.100.1' }),
        await production({ TRUSTED_PROXIES: OUTSIDE }),
      ];
      const forged = { 'x-forwarded-proto': 'https', 'x-forwarded-for': '127.0.0.1' };
      expect(await outcome(none, {}, OUTSIDE)).toBe(400);
      expect(await outcome(none, forged, OUTSIDE)).toBe(400);
      expect(await outcome(other, forged, OUTSIDE)).toBe(400);
      expect(await outcome(trusted, { ...forged, 'x-forwarded-for': CLIENT }, OUTSIDE)).toBe(200);
    });
  }
});

describe('TLS_CERT_FILE and TLS_KEY_FILE', () => {
  const cert = join(__dirname, 'localhost.cert.pem');
  let database: { name: string; url: string };
  let service: Service;

  beforeAll(async () => {
    database = await createDatabase();
    const env = {
      NODE_ENV: 'production',
      PROCESSOR: 'sandbox',
      PORT: '0',
      BCRYPT_COST: '4',
      JWT_SECRETS: 'a test secret that is only used in tests',
      TLS_CERT_FILE: cert,
      TLS_KEY_FILE: join(__dirname, 'localhost.key.pem'),
    };
    const log = new Log('silent');
    service = await startService({
      config: readConfig(env),
      databaseUrl: database.url,
      clock: new TestClock(),
      log,
    });
  });
  afterAll(async () => {
    await service?.stop();
    if (database) await dropDatabase(database.name);
  });

  function post(
    path: string,
    body: object,
  ): Promise<{ status: number; body: any; headers: Record<string, unknown> }> {
    const ca = readFileSync(cert);
    const options = { method: 'POST', ca, agent: false, headers: { 'content-type': 'application/json' } };
    return new Promise((resolve, reject) => {
      const sent = request(`${service.url}${path}`, options, (response) => {
        json(response).then(
          (body) => resolve({ status: response.statusCode!, body, headers: response.headers }),
          reject,
        );
      });
      sent.on('error', reject);
      sent.end(JSON.stringify(body));
    });
  }

  it('make the service speak HTTPS itself, in production too', async () => {
    expect(service.url).toMatch(/^https:/);
    const email = someEmail();
    expect((await post('/v1/users', { email, password: PASSWORD })).status).toBe(201);
    const reply = await post('/v1/auth/login', { email, password: PASSWORD });
    expect([reply.status, reply.body.token_type]).toEqual([200, 'Bearer']);
    expect(reply.headers['strict-transport-security']).toMatch(/max-age=\d{7,}/);
  });
});

describe('security headers', () => {
  const EXPECTED = {
    'x-content-type-options': 'nosniff',
    'x-frame-options': expect.stringMatching(/^(DENY|SAMEORIGIN)$/),
    'referrer-policy': 'no-referrer',
    'content-security-policy': expect.stringMatching(/default-src '(self|none)'.*frame-ancestors 'none'/),
  };
  let service: TestService;

  beforeAll(async () => {
    service = await startTestService();
  });
  afterAll(() => service.stop());

  /** The answer to bytes that no HTTP client would send. */
  function exchange(bytes: string): Promise<{ status: number; headers: Record<string, string>; body: any }> {
    return new Promise((resolve, reject) => {
      const socket = connect(Number(new URL(service.url).port), 'localhost');
      let text = '';
      socket.on('error', reject);
      socket.on('data', (chunk) => (text += chunk.toString()));
      socket.on('end', () => {
        const [head, body] = text.split('\r\n\r\n') as [string, string];
        const [line, ...lines] = head.split('\r\n');
        const headers = Object.fromEntries(
          lines.map((each) => [each.split(':')[0]!.toLowerCase(), each.slice(each.indexOf(':') + 1).trim()]),
        );
        resolve({ status: Number(line!.split(' ')[1]), headers, body: JSON.parse(body) });
      });
      socket.write(bytes);
    });
  }

  it.each([
    ['a success', 'GET', '/health/live', undefined, 200],
    ['no token', 'GET', '/v1/account', undefined, 401],
    ['an unknown path', 'GET', '/v1/nowhere', undefined, 404],
    ['an unknown method', 'PUT', '/v1/account', '{}', 404],
    ['malformed JSON', 'POST', '/v1/auth/login', '{', 400],
    ['a body too large', 'POST', '/v1/auth/login', `"${'x'.repeat(200_000)}"`, 413],
    ['bad percent-encoding', 'GET', '/v1/users/%E0%A4%A', undefined, 400],
  ])('stand on %s', async (_, method, path, body, status) => {
    const reply = await service.api.call(method, path, body);
    expect(reply.status).toBe(status);
    expect(Object.fromEntries(reply.headers)).toMatchObject({
      ...EXPECTED,
      'x-request-id': expect.stringMatching(/^[\w-]{1,64}$/),
    });
    expect(reply.headers.get('x-powered-by')).toBeNull();
  });

  it.each([
    ['no HTTP at all', 'HELLO\r\n\r\n'],
    ['a header without a name', 'GET /health/live HTTP/1.1\r\nHost: localhost\r\n: x\r\n\r\n'],
    [
      'headers too large',
      `GET /health/live HTTP/1.1\r\nHost: localhost\r\nX-Large: ${'x'.repeat(20_000)}\r\n\r\n`,
    ],
    [
      'two lengths',
      'POST /v1/auth/login HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello!',
    ],
    ['a bad path', 'GET /%% HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n'],
  ])('stand on malformed HTTP: %s', async (_, bytes) => {
    const reply = await exchange(bytes);
    expect(reply.status).toBe(400);
    expect(reply.headers).toMatchObject({
      ...EXPECTED,
      'content-type': expect.stringMatching(/^application\/json/),
    });
    expect(reply.body).toEqual({ error: 'invalid_request', message: expect.any(String) });
  });

  it('carry HSTS in production only', async () => {
    const production = await service.replica({ NODE_ENV: 'production' });
    try {
      const header = async ({ api }: TestService) =>
        (await api.get('/health/live')).headers.get('strict-transport-security');
      expect(await header(production)).toMatch(/max-age=\d{7,}/);
      expect(await header(service)).toBeNull();
    } finally {
      await production.stop();
    }
  });
});
