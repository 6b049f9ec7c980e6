import { PASSWORD, someEmail } from '../../support/people';
import { startTestService, TestService } from '../../support/service';

const APP = 'https://app.example.com';
const CORS_HEADERS = /^access-control-/;

describe('CORS', () => {
  let service: TestService;
  let shared: TestService;

  beforeAll(async () => {
    service = await startTestService();
    shared = await service.replica({ CORS_ORIGINS: `${APP}, http://localhost:5173` });
  });
  afterAll(async () => {
    await shared?.stop();
    await service?.stop();
  });

  async function send(
    target: TestService,
    path: string,
    { method = 'GET', ...headers }: Record<string, string> = {},
    body?: string,
  ) {
    const response = await fetch(`${target.url}${path}`, { method, headers, body });
    await response.text();
    const cors = [...response.headers].filter(([name]) => CORS_HEADERS.test(name));
    return { status: response.status, cors: Object.fromEntries(cors), headers: response.headers };
  }

  const preflight = (origin: string, method = 'POST') => ({
    method: 'OPTIONS',
    origin,
    'access-control-request-method': method,
    'access-control-request-headers': 'authorization,content-type',
  });

  it.each([APP, 'http://localhost:5173'])('allows the listed origin %s', async (origin) => {
    const asked = await send(shared, '/v1/transactions', preflight(origin));
    expect(asked).toMatchObject({
      status: 204,
      cors: {
        'access-control-allow-origin': origin,
        'access-control-allow-methods': 'GET, POST, PATCH, DELETE',
        'access-control-allow-headers':
          'Authorization, Content-Type, Countinghouse-Version, Idempotency-Key, If-Match, X-Request-Id',
        'access-control-max-age': '600',
      },
    });
    expect(asked.cors).not.toHaveProperty('access-control-allow-credentials');
    expect(asked.headers.get('vary')).toBe('Origin');
    const body = JSON.stringify({ email: someEmail(), password: PASSWORD });
    const headers = { method: 'POST', origin, 'content-type': 'application/json' };
    expect(await send(shared, '/v1/users', headers, body)).toMatchObject({
      status: 201,
      cors: {
        'access-control-allow-origin': origin,
        'access-control-expose-headers':
          'Countinghouse-Version, ETag, Idempotency-Replayed, RateLimit, RateLimit-Policy, Retry-After, X-Request-Id',
      },
    });
  });

  it('lets the page read errors, also that a limit is exceeded', async () => {
    const limited = await service.replica({ CORS_ORIGINS: APP, RATE_LIMIT_PER_SECOND: '4' });
    try {
      const calls = Array.from({ length: 10 }, () => send(limited, '/v1/account', { origin: APP }));
      const replies = await Promise.all(calls);
      expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([401, 429]));
      expect(new Set(replies.map(({ cors }) => cors['access-control-allow-origin']))).toEqual(new Set([APP]));
    } finally {
      await limited.stop();
    }
  });

  it.each([
    ['another origin', '/v1/account', 'https://evil.example.com'],
    ['another port', '/v1/account', `${APP}:8443`],
    ['another protocol', '/v1/account', APP.replace('https', 'http')],
    ['a longer name', '/v1/account', `${APP}.evil.example`],
    ['a page without an origin', '/v1/account', 'null'],
    ['the payment page', '/pay/unknown', APP],
    ['the documentation', '/docs', APP],
  ])('does not allow %s', async (_, path, origin) => {
    expect((await send(shared, path, { origin })).cors).toEqual({});
    expect(await send(shared, path, preflight(origin))).toMatchObject({ status: 404, cors: {} });
  });

  it('allows no origin by default', async () => {
    expect((await send(service, '/v1/account', { origin: APP })).cors).toEqual({});
    expect(await send(service, '/v1/account', preflight(APP))).toMatchObject({ status: 404, cors: {} });
  });

  it.each(['*', 'app.example.com', `${APP}/`, `${APP}/path`, 'https://APP.example.com', 'null', `${APP},`])(
    'rejects the setting %s at the start',
    async (origins) => {
      await expect(service.replica({ CORS_ORIGINS: origins })).rejects.toThrow(
        /^CORS_ORIGINS: must be origins like https:\/\/app\.example\.com, without a path, separated by commas$/,
      );
    },
  );
});
