import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { Api } from '../../support/api';
import { aUser, logIn, Person } from '../../support/people';
import { startTestService, TestService } from '../../support/service';
import { encoded, keyId, partsOf, sessionOf, signed, TokenParts } from './forged-tokens';
import { rounds } from '../../support/rounds';
import { until } from '../../support/until';
import { Seeded } from './seeded';

const FIRST = 'the first secret of 32 characters or more';
const SECOND = 'the second secret of 32 characters or more';
const MINUTE_SECONDS = 60;
const notJson = Buffer.from('{').toString('base64url');

describe('Refresh tokens on two replicas', () => {
  let replicas: TestService[];

  beforeAll(async () => {
    const service = await startTestService();
    replicas = [service, await service.replica()];
  });
  afterAll(async () => {
    for (const replica of replicas.toReversed()) await replica.stop();
  });

  const refreshAt = (replica: TestService, refresh_token: string) =>
    replica.api.post('/v1/auth/refresh', { refresh_token });
  const isLive = async (token: string) => {
    const replies = await Promise.all(replicas.map(({ api }) => api.as(token).get('/v1/auth/sessions')));
    expect(new Set(replies.map(({ status }) => status)).size).toBe(1);
    return replies[0]!.status === 200;
  };

  it('20 concurrent refreshes succeed, and a replay after the grace period ends the session', async () => {
    const seeded = new Seeded('refresh');
    for (let round = 0; round < rounds(4); round += 1) {
      const person = await aUser(seeded.pick(replicas).api);
      const places = Array.from({ length: 20 }, () => seeded.pick(replicas));
      const replies = await Promise.all(places.map((replica) => refreshAt(replica, person.refreshToken)));
      expect(replies.map(({ status }) => status)).toEqual(places.map(() => 200));
      expect(new Set(replies.map(({ body }) => body.refresh_token)).size).toBe(20);
      expect(new Set(replies.map(({ body }) => sessionOf(body.access_token))).size).toBe(1);
      const live = await Promise.all(replies.map(({ body }) => isLive(body.access_token)));
      expect(live).toEqual(places.map(() => true));

      for (const { clock } of replicas) clock.move({ seconds: 11 });
      const newest = replies.at(-1)!.body;
      // The client refreshes at the same time as the replay. The session ends in either order.
      const [replay] = await Promise.all([
        refreshAt(seeded.pick(replicas), person.refreshToken),
        refreshAt(seeded.pick(replicas), newest.refresh_token),
      ]);
      expect([replay.status, replay.body.error]).toEqual([401, 'unauthorized']);
      const tokens = [person.token, ...replies.map(({ body }) => body.access_token)];
      expect((await Promise.all(tokens.map(isLive))).filter(Boolean)).toEqual([]);
      const later = await Promise.all(
        replies.map(({ body }) => refreshAt(seeded.pick(replicas), body.refresh_token)),
      );
      expect(later.filter(({ status }) => status !== 401)).toEqual([]);
    }
  });

  it('a replay ends only its own session', async () => {
    const person = await aUser(replicas[0]!.api);
    const other = await logIn(replicas[1]!.api, person.email);
    await refreshAt(replicas[0]!, person.refreshToken);
    for (const { clock } of replicas) clock.move({ seconds: 11 });
    expect((await refreshAt(replicas[1]!, person.refreshToken)).status).toBe(401);
    expect([await isLive(person.token), await isLive(other.token)]).toEqual([false, true]);
  });
});

describe('Forged access tokens', () => {
  let service: TestService;
  let api: Api;
  let person: Person;
  let other: Person;
  let good: TokenParts;

  beforeAll(async () => {
    service = await startTestService({ JWT_SECRETS: `${FIRST},${SECOND}` });
    ({ api } = service);
    [person, other] = [await aUser(api), await aUser(api)];
    good = partsOf(person.token);
  });
  afterAll(() => service.stop());

  const statusOf = async (token: string) => (await api.as(token).get('/v1/auth/sessions')).status;
  const nowSeconds = () => Math.floor(Date.now() / 1000);
  const withHeader = (header: object, key: string | Buffer = FIRST) =>
    signed({ header: { ...good.header, ...header }, claims: good.claims }, key);
  const withClaims = (claims: object, key: string | Buffer = FIRST) =>
    signed({ header: good.header, claims: { ...good.claims, ...claims } }, key);
  const unsigned = (header: object, signature = '') =>
    `${encoded({ ...good.header, ...header })}.${encoded(good.claims)}.${signature}`;

  function withRsa(): string {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const text = `${encoded({ ...good.header, alg: 'RS256' })}.${encoded(good.claims)}`;
    return `${text}.${sign('sha256', Buffer.from(text), privateKey).toString('base64url')}`;
  }

  function withPublicKeyAsSecret(): string {
    const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    return withHeader({ alg: 'HS256' }, publicKey.export({ type: 'spki', format: 'pem' }));
  }

  it('are accepted when they are valid, which proves that the tests can forge them', async () => {
    const accepted = [
      signed(good, FIRST),
      withHeader({ kid: keyId(SECOND) }, SECOND),
      withClaims({ nbf: nowSeconds() - MINUTE_SECONDS }),
      withClaims({ aud: ['countinghouse-api', 'another-service'] }),
    ];
    expect(await Promise.all(accepted.map(statusOf))).toEqual(accepted.map(() => 200));
  });

  const corpus: Record<string, () => string> = {
    'no algorithm': () => unsigned({ alg: 'none' }),
    'no algorithm, with a signature': () => unsigned({ alg: 'none' }, person.token.split('.')[2]),
    'no algorithm, in upper case': () => unsigned({ alg: 'NONE' }),
    'an undefined algorithm': () => unsigned({ alg: undefined }),
    'no signature': () => unsigned({}),
    'another signature': () => unsigned({}, randomBytes(32).toString('base64url')),
    "another token's signature": () => unsigned({}, other.token.split('.')[2]),
    'HS512 with the right secret': () =>
      signed({ header: { ...good.header, alg: 'HS512' }, claims: good.claims }, FIRST, 'sha512'),
    'HS384 with the right secret': () =>
      signed({ header: { ...good.header, alg: 'HS384' }, claims: good.claims }, FIRST, 'sha384'),
    'RS256 in the header and an HMAC signature': () => withHeader({ alg: 'RS256' }),
    'RS256 with a new key': withRsa,
    'a public key as the secret': withPublicKeyAsSecret,
    'a key in the header': () => withHeader({ jwk: { kty: 'oct', k: encoded('mine') } }, 'mine'),
    'the URL of a key': () => withHeader({ jku: 'http://127.0.0.1/keys.json', kid: 'mine' }, 'mine'),
    'the empty secret': () => withHeader({}, Buffer.alloc(0)),
    'the key id as the secret': () => withHeader({}, keyId(FIRST)),
    'an unknown key id': () => withHeader({ kid: 'AAAAAAAA' }),
    'no key id': () => withHeader({ kid: undefined }),
    "the other secret's key id": () => withHeader({ kid: keyId(SECOND) }),
    'the type JWT': () => withHeader({ typ: 'JWT' }),
    'no type': () => withHeader({ typ: undefined }),
    'another audience': () => withClaims({ aud: 'another-service' }),
    'no audience': () => withClaims({ aud: undefined }),
    'another issuer': () => withClaims({ iss: 'https://accounts.example.com' }),
    'no issuer': () => withClaims({ iss: undefined }),
    expired: () => withClaims({ exp: nowSeconds() - 1 }),
    'expired long ago': () => withClaims({ exp: 0 }),
    'no expiry': () => withClaims({ exp: undefined }),
    'an expiry that is a string': () => withClaims({ exp: String(nowSeconds() + MINUTE_SECONDS) }),
    'an expiry that is null': () => withClaims({ exp: null }),
    'a header that is not JSON': () => `${notJson}.e30.AAAA`,
    'a header that is null': () => `${encoded(null)}.${encoded({})}.AAAA`,
    'a header that is a number': () => `${encoded(7)}.${encoded({})}.AAAA`,
    'claims that are not JSON': () => `${encoded({ alg: 'HS256', typ: 'JWT' })}.${notJson}.AAAA`,
    'claims that are null': () => `${encoded({ alg: 'HS256', typ: 'at+jwt' })}.${encoded(null)}.AAAA`,
    'not yet valid': () => withClaims({ nbf: nowSeconds() + MINUTE_SECONDS }),
    'another subject': () => withClaims({ sub: other.id }),
    'no subject': () => withClaims({ sub: undefined }),
    "another user's session": () => withClaims({ sid: sessionOf(other.token) }),
    'no session': () => withClaims({ sid: undefined }),
    'a malformed session': () => withClaims({ sid: "ses_' OR 1=1 --" }),
    'an array of sessions': () => withClaims({ sid: [sessionOf(person.token)] }),
    'an unknown session': () => withClaims({ sid: 'ses_01k9x8v2t4e6rb3m5n7p9q1s0w' }),
    "another service's key": () => withHeader({ kid: keyId('x'.repeat(32)) }, 'x'.repeat(32)),
    'two parts': () => person.token.split('.').slice(0, 2).join('.'),
    'four parts': () => `${person.token}.AAAA`,
    'a refresh token': () => person.refreshToken,
    'an empty token': () => '',
    '10,000 characters': () => 'A'.repeat(10_000),
  };

  it.each(Object.entries(corpus))('are rejected: %s', async (_, forge) => {
    expect(await statusOf(forge())).toBe(401);
    expect(await statusOf(person.token)).toBe(200);
  });

  it.each(['Basic', 'Token', 'Bearer:', ''])('are rejected with the scheme %j', async (scheme) => {
    const reply = await api.get('/v1/auth/sessions', {
      headers: { authorization: `${scheme} ${person.token}`.trim() },
    });
    expect(reply.status).toBe(401);
  });

  it('are ignored in the query and the body', async () => {
    const replies = [
      await api.get(`/v1/auth/sessions?access_token=${person.token}`),
      await api.delete('/v1/auth/session', { access_token: person.token }),
    ];
    expect(replies.map(({ status }) => status)).toEqual([401, 401]);
  });

  it('are rejected by sign-up', async () => {
    const forged = api.as(withClaims({ exp: 0 }));
    const account = {
      email: 'x@example.com',
      password: 'correct horse battery',
      name: 'X',
      type: 'business',
    };
    const replies = [
      await forged.post('/v1/users', { email: account.email, password: account.password }),
      await forged.post('/v1/accounts', account),
    ];
    expect(replies.map(({ status, body }) => [status, body.error])).toEqual(
      Array(2).fill([401, 'unauthorized']),
    );
  });

  it('are rejected when truncated or with one changed character', async () => {
    const seeded = new Seeded('mutated tokens');
    const characters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    const mutants = Array.from({ length: rounds(300) }, () => {
      const at = seeded.below(person.token.length);
      if (seeded.below(4) === 0) return person.token.slice(0, at);
      const others = [...characters].filter((character) => character !== person.token[at]);
      return person.token.slice(0, at) + seeded.pick(others) + person.token.slice(at + 1);
    });
    // The last character has two unused bits. A token that differs only there must be rejected as well.
    mutants.push(
      ...[...characters]
        .filter((each) => !person.token.endsWith(each))
        .map((each) => person.token.slice(0, -1) + each),
    );
    const statuses = await Promise.all(mutants.map(statusOf));
    const accepted = statuses.filter((status) => status !== 401).length;
    seeded.report(`accepted ${accepted} of ${mutants.length}`);
    expect(accepted).toBe(0);
  });
});

describe('Rotation of JWT_SECRETS', () => {
  it('signs with the first secret, verifies with all, and rejects tokens of a removed secret', async () => {
    const old = await startTestService({ JWT_SECRETS: `${FIRST},${SECOND}` });
    const next = await old.replica({ JWT_SECRETS: `${SECOND},${FIRST}` });
    const last = await old.replica({ JWT_SECRETS: SECOND });
    try {
      const [before, after] = [await aUser(old.api), await aUser(next.api)];
      expect([before, after].map(({ token }) => partsOf(token).header['kid'])).toEqual([
        keyId(FIRST),
        keyId(SECOND),
      ]);
      const statuses = async ({ api }: TestService) =>
        Promise.all(
          [before, after].map(async ({ token }) => (await api.as(token).get('/v1/auth/sessions')).status),
        );
      expect([await statuses(old), await statuses(next), await statuses(last)]).toEqual([
        [200, 200],
        [200, 200],
        [401, 200],
      ]);
    } finally {
      for (const service of [last, next, old]) await service.stop();
    }
  });

  it('rejects no request while replicas are replaced one by one under load', async () => {
    const seeded = new Seeded('rotation');
    const service = await startTestService({ JWT_SECRETS: FIRST });
    let serving = [service, await service.replica()];
    const stages = [`${FIRST},${SECOND}`, `${SECOND},${FIRST}`];
    const people = await Promise.all(Array.from({ length: 2 }, () => aUser(service.api)));
    const latest = people.map(({ token, refreshToken }) => ({ token, refreshToken }));
    let [running, requests, wrong] = [true, 0, 0];

    const client = async (tokens: { token: string; refreshToken: string }) => {
      while (running) {
        const { api } = seeded.pick(serving);
        const reply = await api.as(tokens.token).get('/v1/auth/sessions');
        const { status, body } = await seeded
          .pick(serving)
          .api.post('/v1/auth/refresh', { refresh_token: tokens.refreshToken });
        requests += 2;
        wrong += [reply.status, status].filter((each) => each !== 200).length;
        if (status === 200)
          Object.assign(tokens, { token: body.access_token, refreshToken: body.refresh_token });
      }
    };
    /** Waits until every client has a token that is signed with this secret. */
    const signedBy = async (secret: string) => {
      const isSigned = ({ token }: { token: string }) => partsOf(token).header['kid'] === keyId(secret);
      expect(await until(() => latest.every(isSigned))).toBe(true);
    };
    const clients = latest.map(client);
    const stoppedLast: TestService[] = [];
    try {
      for (const secrets of [...stages, SECOND]) {
        for (const outgoing of [...serving]) {
          const incoming = await service.replica({ JWT_SECRETS: secrets });
          serving = [...serving.filter((each) => each !== outgoing), incoming];
          // Stopping the first service drops its database.
          if (outgoing === service) stoppedLast.push(outgoing);
          else await outgoing.stop();
        }
        // The old secret is removed only when no client has a token that was signed with it.
        if (secrets === stages[1]) await signedBy(SECOND);
      }
    } finally {
      running = false;
      await Promise.all(clients);
    }
    seeded.report(`failed requests: ${wrong} of ${requests}`);
    expect(requests).toBeGreaterThan(20);
    expect(wrong).toBe(0);
    const retired = await Promise.all(
      serving.map(({ api }) => api.as(people[0]!.token).get('/v1/auth/sessions')),
    );
    expect(retired.map(({ status }) => status)).toEqual([401, 401]);
    for (const each of [...serving, ...stoppedLast]) await each.stop();
  });
});
