import { randomUUID } from 'node:crypto';
import { Api, Reply } from '../../support/api';
import { aUser, logIn, Person } from '../../support/people';
import { startTestService, TestService } from '../../support/service';

const LIMIT = 5;
/** All tokens of one network together. */
const NETWORK_TOKENS_LIMIT = 10 * LIMIT;

describe('Rate limit', () => {
  let service: TestService;
  let limited: TestService;
  let person: Person;

  beforeAll(async () => {
    service = await startTestService();
    limited = await service.replica({
      RATE_LIMIT_PER_SECOND: `${LIMIT}`,
      TRUSTED_PROXIES: '127.0.0.1, ::1',
    });
    person = await aUser(service.api);
  });
  afterAll(async () => {
    await limited?.stop();
    await service?.stop();
  });

  /** Each test has a network of its own, so that the tests do not use up each other's limit. */
  let tests = 0;
  const aNetwork = () => `203.0.113.${++tests}`;

  const asPerson = (token = person.token): Api => limited.api.as(token);
  const get = (api: Api, from: string, path = '/v1/account') =>
    api.get(path, { headers: { 'x-forwarded-for': from } });

  /** Sends requests at once. @returns those that were not limited; they may be `limit` in each second that it took */
  async function sendAll<R extends { status: number }>(
    count: number,
    limit: number,
    send: (index: number) => Promise<R>,
  ) {
    const start = performance.now();
    const replies = await Promise.all(Array.from({ length: count }, (_, index) => send(index)));
    const seconds = 1 + Math.floor((performance.now() - start) / 1000);
    const passed = replies.filter(({ status }) => status !== 429);
    expect(passed.length).toBeGreaterThanOrEqual(limit);
    expect(passed.length).toBeLessThanOrEqual(limit * seconds);
    return { passed, rejected: replies.filter(({ status }) => status === 429) };
  }

  it.each([
    ['no token', () => limited.api],
    ['another invalid token for each request', () => limited.api.as(randomUUID())],
    ['another forged token for each request', () => asPerson(`${person.token.slice(0, -8)}${randomUUID()}`)],
  ])('applies to a network with %s', async (_, client) => {
    const from = aNetwork();
    const { passed } = await sendAll(4 * LIMIT, LIMIT, () => get(client(), from));
    expect(new Set(passed.map(({ status }) => status))).toEqual(new Set([401]));
  });

  it('applies to expired tokens as to no token', async () => {
    limited.clock.move({ minutes: 60 });
    try {
      const from = aNetwork();
      await sendAll(4 * LIMIT, LIMIT, (index) => get(index % 2 ? asPerson() : limited.api, from));
    } finally {
      limited.clock.move({ minutes: -60 });
    }
  });

  it('applies to what is not an operation', async () => {
    const from = aNetwork();
    const paths = ['/openapi.json', '/docs', '/nowhere', '/pay/unknown'];
    await sendAll(4 * LIMIT, LIMIT, async (index) => {
      const headers = { 'x-forwarded-for': from, authorization: `Bearer ${randomUUID()}` };
      const response = await fetch(`${limited.url}${paths[index % paths.length]}`, { headers });
      await response.text();
      return response;
    });
  });

  it('applies to a /64 of IPv6 as a whole', async () => {
    await sendAll(4 * LIMIT, LIMIT, (index) => get(limited.api, `2001:db8:0:1::${index + 1}`));
    expect((await get(limited.api, '2001:db8:0:2::1')).status).toBe(401);
  });

  it('applies to a token, wherever its requests come from', async () => {
    const { token } = await logIn(service.api, person.email);
    const { passed } = await sendAll(4 * LIMIT, LIMIT, () => get(asPerson(token), aNetwork()));
    expect(passed.map(({ status }) => status)).not.toContain(401);
  });

  it('of a network does not apply to its verified tokens', async () => {
    const { token } = await logIn(service.api, person.email);
    const from = aNetwork();
    const [, reply] = await Promise.all([
      sendAll(4 * LIMIT, LIMIT, () => get(limited.api, from)),
      get(asPerson(token), from),
    ]);
    expect(reply.status).not.toBe(429);
  });

  it('applies to the verified tokens of a network together', async () => {
    const logins = Array.from({ length: 15 }, () => logIn(service.api, person.email));
    const tokens = (await Promise.all(logins)).map(({ token }) => token);
    const from = aNetwork();
    await sendAll(tokens.length * LIMIT, NETWORK_TOKENS_LIMIT, (index) =>
      get(asPerson(tokens[index % tokens.length]), from),
    );
  });

  it('is reported in the standard headers', async () => {
    const headersOf = ({ headers }: Reply) =>
      ['ratelimit-policy', 'ratelimit', 'retry-after'].map((name) => headers.get(name));
    const from = aNetwork();
    let first: Promise<Reply>;
    const { passed, rejected } = await sendAll(4 * LIMIT, LIMIT, (index) =>
      index === 0 ? (first = get(limited.api, from)) : first.then(() => get(limited.api, from)),
    );
    expect(headersOf(passed[0]!)).toEqual(['"network";q=5;w=1', '"network";r=4;t=1', null]);
    expect(headersOf(rejected[0]!)).toEqual(['"network";q=5;w=1', '"network";r=0;t=1', '1']);
    const { token } = await logIn(service.api, person.email);
    expect(headersOf(await get(asPerson(token), aNetwork()))).toEqual([
      '"token";q=5;w=1, "network-tokens";q=50;w=1',
      '"token";r=4;t=1, "network-tokens";r=49;t=1',
      null,
    ]);
    expect(headersOf(await service.api.get('/v1/account'))).toEqual([null, null, null]);
  });

  it('does not apply to health checks', async () => {
    const replies = await Promise.all(
      Array.from({ length: 4 * LIMIT }, () => get(limited.api, '203.0.113.250', '/health/ready')),
    );
    expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 200));
  });
});
