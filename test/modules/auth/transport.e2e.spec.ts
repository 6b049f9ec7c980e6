import { readFileSync } from 'node:fs';
import { connect as connectTls, ConnectionOptions } from 'node:tls';
import { request } from 'node:https';
import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { core } from '../../support/core';
import { Log } from '../../../src/platform/telemetry/log';
import { RunningService } from '../../../src/service/application';
import { createDatabase, dropDatabase } from '../../support/databases';
import { aUser, created, logIn, PASSWORD, someEmail } from '../../support/people';
import { startTestService, TestService } from '../../support/service';

const CLIENT = '203.0.113.7';
/** An address of this machine other than loopback. */
const LAN_ADDRESS = Object.values(networkInterfaces())
  .flat()
  .find((address) => address?.family === 'IPv4' && !address.internal)?.address;

describe('HTTPS in production (interface section 1)', () => {
  let service: TestService;
  /** The replicas of the service by their settings. */
  const replicas = new Map<string, TestService>();

  beforeAll(async () => {
    service = await startTestService({ NODE_ENV: 'production' });
  });
  afterAll(async () => {
    for (const each of [...replicas.values(), service]) await each.stop();
  });

  async function production(env: NodeJS.ProcessEnv): Promise<TestService> {
    const key = JSON.stringify(env);
    const replica = replicas.get(key) ?? (await service.replica(env));
    replicas.set(key, replica);
    return replica;
  }

  /** Logs in over plain HTTP with the given headers. @returns the status of the response */
  async function loginStatus(target: TestService, headers: Record<string, string> = {}, host = '127.0.0.1') {
    const email = someEmail();
    await created(target.api, '/v1/users', { email, password: PASSWORD });
    const url = `http://${host}:${new URL(target.url).port}/v1/auth/login`;
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

  it('is not required from loopback', async () => {
    expect(await loginStatus(service)).toBe(200);
  });

  it('does not depend on forwarding headers unless a proxy is trusted', async () => {
    expect(await loginStatus(service, { 'x-forwarded-for': CLIENT, 'x-forwarded-proto': 'http' })).toBe(200);
    const reply = await service.api.get('/health/live', { headers: { 'x-forwarded-proto': 'https' } });
    expect(reply.status).toBe(200);
  });

  it.each([
    ['https', { 'x-forwarded-proto': 'https' }, 200],
    ['http', { 'x-forwarded-proto': 'http' }, 400],
    ['no protocol', {}, 400],
    ['a forged https, then http', { 'x-forwarded-proto': 'https, http' }, 400],
    ['https in other headers', { forwarded: 'proto=https', 'x-forwarded-ssl': 'on' }, 400],
  ])('depends on the protocol that a trusted proxy reports: %s', async (_, headers, status) => {
    const proxied = await production({ TRUSTED_PROXIES: '127.0.0.1' });
    expect(await loginStatus(proxied, { 'x-forwarded-for': CLIENT, ...headers })).toBe(status);
  });

  it('is required from a client that claims to be loopback behind a proxy', async () => {
    const proxied = await production({ TRUSTED_PROXIES: '127.0.0.1/32' });
    expect(await loginStatus(proxied, { 'x-forwarded-for': `127.0.0.1, ${CLIENT}` })).toBe(400);
    expect(await loginStatus(proxied, { 'x-forwarded-for': 'unknown' })).toBe(400);
  });

  it('is required for refreshes and password changes', async () => {
    const { api } = await production({ TRUSTED_PROXIES: '127.0.0.1' });
    const email = someEmail();
    await created(api, '/v1/users', { email, password: PASSWORD });
    const person = await logIn(api, email);
    const headers = { 'x-forwarded-for': CLIENT };
    const replies = [
      await api.post('/v1/auth/refresh', { refresh_token: person.refreshToken }, { headers }),
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

  it('is required for sign-up and for every request with a token', async () => {
    const { api, url } = await production({ TRUSTED_PROXIES: '127.0.0.1' });
    const { token } = await aUser(api);
    const send = async (method: string, path: string, headers: object, body?: object) => {
      const response = await fetch(`${url}${path}`, {
        method,
        headers: {
          'x-forwarded-for': CLIENT,
          ...(body && { 'content-type': 'application/json' }),
          ...headers,
        },
        body: body && JSON.stringify(body),
      });
      await response.text();
      return response.status;
    };
    const email = someEmail();
    const account = { email, password: PASSWORD, name: 'Lovelace Ltd', type: 'business' };
    const bearer = { authorization: `Bearer ${token}` };
    expect([
      await send('POST', '/v1/users', {}, { email, password: PASSWORD }),
      await send('POST', '/%761/users', {}, { email, password: PASSWORD }),
      await send('POST', '/v1/accounts', {}, account),
      await send('GET', '/v1/transactions', bearer),
      await send('GET', '/openapi.json', bearer),
      await send('GET', '/health/live', bearer),
    ]).toEqual(Array(6).fill(400));
    const encrypted = { 'x-forwarded-proto': 'https' };
    expect([
      await send('POST', '/v1/users', encrypted, { email, password: PASSWORD }),
      await send('GET', '/v1/transactions', { ...bearer, ...encrypted }),
      await send('GET', '/openapi.json', {}),
      await send('GET', '/health/live', {}),
    ]).toEqual([201, 200, 200, 200]);
  });

  it('is not required with ALLOW_INSECURE_HTTP or outside production', async () => {
    const headers = { 'x-forwarded-for': CLIENT };
    expect(
      await loginStatus(
        await production({ TRUSTED_PROXIES: '127.0.0.1', ALLOW_INSECURE_HTTP: 'true' }),
        headers,
      ),
    ).toBe(200);
    expect(
      await loginStatus(await production({ TRUSTED_PROXIES: '127.0.0.1', NODE_ENV: 'test' }), headers),
    ).toBe(200);
  });

  // Requires a second network address on this machine.
  if (LAN_ADDRESS !== undefined) {
    it('is required from another address unless it belongs to a trusted proxy', async () => {
      const [none, other, trusted] = [
        service,
        await production({ TRUSTED_PROXIES: '198.51.100.1' }),
        await production({ TRUSTED_PROXIES: LAN_ADDRESS }),
      ];
      const forged = { 'x-forwarded-proto': 'https', 'x-forwarded-for': '127.0.0.1' };
      expect(await loginStatus(none, {}, LAN_ADDRESS)).toBe(400);
      expect(await loginStatus(none, forged, LAN_ADDRESS)).toBe(400);
      expect(await loginStatus(other, forged, LAN_ADDRESS)).toBe(400);
      expect(await loginStatus(trusted, { ...forged, 'x-forwarded-for': CLIENT }, LAN_ADDRESS)).toBe(200);
    });
  }
});

describe('TLS_CERT_FILE and TLS_KEY_FILE', () => {
  const cert = join(__dirname, 'localhost.cert.pem');
  let database: { name: string; url: string };
  let service: RunningService;

  beforeAll(async () => {
    database = await createDatabase();
    const env = {
      NODE_ENV: 'production',
      PROCESSOR: 'sandbox',
      PAYMENT_PAGE_URL: 'https://pay.countinghouse.test',
      PORT: '0',
      BCRYPT_COST: '4',
      JWT_SECRETS: 'a test secret that is only used in tests',
      TLS_CERT_FILE: cert,
      TLS_KEY_FILE: join(__dirname, 'localhost.key.pem'),
    };
    service = await core.start({ ...env, DATABASE_URL: database.url }, { log: new Log('silent') });
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

  it('make the service accept HTTPS connections in production', async () => {
    expect(service.url).toMatch(/^https:/);
    const email = someEmail();
    expect((await post('/v1/users', { email, password: PASSWORD })).status).toBe(201);
    const reply = await post('/v1/auth/login', { email, password: PASSWORD });
    expect([reply.status, reply.body.token_type]).toEqual([200, 'Bearer']);
    expect(reply.headers['strict-transport-security']).toMatch(/max-age=\d{7,}/);
  });

  /** The cipher suite that the service agrees to, or null if it refuses the connection. */
  function cipherOf(offer: ConnectionOptions): Promise<string | null> {
    const { port } = new URL(service.url);
    return new Promise((resolve) => {
      const socket = connectTls({ port: Number(port), host: 'localhost', ca: readFileSync(cert), ...offer });
      socket.once('secureConnect', () => {
        resolve(socket.getCipher().standardName);
        socket.destroy();
      });
      socket.once('error', () => resolve(null));
    });
  }

  const tls12 = (ciphers: string): ConnectionOptions => ({
    minVersion: 'TLSv1.2',
    maxVersion: 'TLSv1.2',
    ciphers: `${ciphers}:@SECLEVEL=0`,
  });

  it.each<[string, ConnectionOptions]>([
    ['TLS 1.1', { minVersion: 'TLSv1.1', maxVersion: 'TLSv1.1', ciphers: 'ALL:@SECLEVEL=0' }],
    ['CBC', tls12('ECDHE-RSA-AES128-SHA256:ECDHE-RSA-AES256-SHA:ECDHE-ECDSA-AES128-SHA256')],
    ['a key exchange without forward secrecy', tls12('AES128-GCM-SHA256:AES256-GCM-SHA384')],
    ['DHE', tls12('DHE-RSA-AES128-GCM-SHA256:DHE-RSA-AES256-GCM-SHA384')],
  ])('refuse %s', async (_, offer) => {
    expect(await cipherOf(offer)).toBeNull();
  });

  it('accept TLS 1.3, and TLS 1.2 with ECDHE and AEAD', async () => {
    expect(await cipherOf({ minVersion: 'TLSv1.3' })).toMatch(/^TLS_(AES|CHACHA20)/);
    expect(await cipherOf({ maxVersion: 'TLSv1.2' })).toMatch(/^TLS_ECDHE_\w+(GCM|POLY1305)/);
  });
});

describe('Security headers', () => {
  const EXPECTED = {
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'x-frame-options': expect.stringMatching(/^(DENY|SAMEORIGIN)$/),
    'referrer-policy': 'no-referrer',
    'content-security-policy': expect.stringMatching(
      /(default|object)-src 'none'.*base-uri 'none'.*frame-ancestors 'none'/,
    ),
  };
  let service: TestService;

  beforeAll(async () => {
    service = await startTestService();
  });
  afterAll(() => service.stop());

  /** Sends raw bytes, which may be invalid HTTP, and parses the response. */
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
  ])('are set for %s', async (_, method, path, body, status) => {
    const reply = await service.api.call(method, path, body);
    expect(reply.status).toBe(status);
    expect(Object.fromEntries(reply.headers)).toMatchObject({
      ...EXPECTED,
      'x-request-id': expect.stringMatching(/^[\w-]{1,64}$/),
    });
    expect(reply.headers.get('x-powered-by')).toBeNull();
  });

  it.each([
    ['a line that is not HTTP', 'HELLO\r\n\r\n'],
    ['a header without a name', 'GET /health/live HTTP/1.1\r\nHost: localhost\r\n: x\r\n\r\n'],
    [
      'headers too large',
      `GET /health/live HTTP/1.1\r\nHost: localhost\r\nX-Large: ${'x'.repeat(20_000)}\r\n\r\n`,
    ],
    [
      'two Content-Length headers',
      'POST /v1/auth/login HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello!',
    ],
    ['a bad path', 'GET /%% HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n'],
  ])('are set for malformed HTTP: %s', async (_, bytes) => {
    const reply = await exchange(bytes);
    expect(reply.status).toBe(400);
    expect(reply.headers).toMatchObject({
      ...EXPECTED,
      'content-type': expect.stringMatching(/^application\/json/),
    });
    expect(reply.body).toEqual({ error: 'invalid_request', message: expect.any(String) });
  });

  it('contain HSTS for a year and all subdomains, in production only', async () => {
    const production = await service.replica({ NODE_ENV: 'production' });
    try {
      const header = async ({ api }: TestService) =>
        (await api.get('/health/live')).headers.get('strict-transport-security');
      expect(await header(production)).toBe('max-age=31536000; includeSubDomains');
      expect(await header(service)).toBeNull();
    } finally {
      await production.stop();
    }
  });
});
