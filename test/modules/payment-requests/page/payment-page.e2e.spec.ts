import { pageMessages } from '../../../../src/modules/payment-requests/page/payment-page.view';
import { aPaymentRequest } from '../../../support/request-bodies';
import { anOwner, created, Owner, Person, theAdmin } from '../../../support/people';
import { rounds } from '../../../support/rounds';
import { untilOneWaits } from '../../../support/lock-waits';
import { startTestService, TestService } from '../../../support/service';
import { eventually } from '../../../support/until';
import {
  aPaymentLink,
  Link,
  open,
  Page,
  submitOutcome,
  send,
  stateOf,
  statusOf,
} from '../../../support/payment-page';

const MINUTE_MS = 60_000;

describe('The payment page in the sandbox', () => {
  let service: TestService;
  let owner: Owner;
  let admin: Person;

  beforeAll(async () => {
    // The tests move the clock by minutes, and the tokens must stay valid.
    service = await startTestService({ ACCESS_TOKEN_TTL: '86400' });
    [owner, admin] = await Promise.all([anOwner(service.api), theAdmin(service.api)]);
  });
  afterAll(() => service.stop());

  const link = (members: object = {}, of: Owner = owner): Promise<Link> => aPaymentLink(service, of, members);
  const inAMinute = (): string => new Date(service.clock.now().getTime() + MINUTE_MS).toISOString();

  /** Returns the payments of an account, and its money according to the journal and the balance. */
  async function moneyOf(of: Owner): Promise<{ payments: string[]; journal: number; posted: number }> {
    const { data } = (await of.api.get('/v1/transactions?limit=100')).body;
    const [row] = await service.sql<{ sum: string }>(
      `SELECT coalesce(sum(amount), 0) AS sum FROM journal_entries WHERE account_id = $1 AND leg = 'customer'`,
      [of.accountId],
    );
    return {
      payments: data.map(({ type, status, amount }: any) => `${type} ${status} ${amount}`),
      journal: Math.abs(Number(row!.sum)),
      posted: (await of.api.get('/v1/account/balance')).body.posted,
    };
  }

  describe('when opened', () => {
    it('states payee, amount, reference and expiry', async () => {
      const { url } = await link({ reference: 'invoice-2041' });
      const page = await open(url, { headers: { 'accept-language': 'en' } });
      expect([page.status, stateOf(page)]).toEqual([200, 'pay']);
      for (const part of ['Lovelace Ltd', '$12.50', 'invoice-2041', '<time datetime="', 'Test mode']) {
        expect(page.html).toContain(part);
      }
      expect(Buffer.byteLength(page.html)).toBeLessThan(30_000);
    });

    it.each(Object.entries(pageMessages))('is available in %s', async (language, { labels }) => {
      const { url } = await link();
      const page = await open(url, { headers: { 'accept-language': `${language}-XX;q=0.9, ja` } });
      expect(page.headers.get('content-language')).toBe(language);
      expect(page.html).toContain(`<html lang="${language}">`);
      expect(page.html).toContain(`<dt>${labels.payBy}</dt>`);
    });

    it("uses the account's time zone, and its language when the visitor states none", async () => {
      const german = await anOwner(service.api, { language: 'de-AT', timezone: 'Asia/Tokyo' });
      const { url } = await link({}, german);
      const { html } = await open(url);
      expect(html).toContain('<html lang="de">');
      expect(html).toMatch(/UTC\+9|JST|GMT\+9/);
    });

    it('changes nothing with any method but POST', async () => {
      const { id, url } = await link();
      const stored = (): Promise<object[]> =>
        service.sql('SELECT p.*, p.xmin::text FROM payment_requests p WHERE id = $1', [id]);
      const before = await stored();
      for (const method of ['GET', 'HEAD', 'OPTIONS', 'PUT', 'PATCH', 'DELETE']) await open(url, { method });
      await open(`${url}?outcome=succeeded&declines=0`);
      expect(await stored()).toEqual(before);
      expect((await open(url, { method: 'HEAD' })).status).toBe(200);
    });

    it('is 404 for every form of unknown link', async () => {
      const { secret, id } = await link();
      const paths = [
        'x',
        id,
        'A'.repeat(43),
        `${secret}x`,
        secret.slice(1),
        '',
        `${secret}/x`,
        "'",
        'a'.repeat(9000),
      ];
      for (const path of paths) {
        const page = await open(`${service.url}/pay/${path}`);
        expect([path, page.status, stateOf(page)]).toEqual([path, 404, 'unknown']);
        expect(page.html).not.toContain(secret.slice(1));
      }
    });

    it.each(['%', '%zz', '%c0%af', 'x?from=%zz'])('is a page for bad percent-encoding: %s', async (path) => {
      const page = await open(`${service.url}/pay/${path}`);
      expect([page.status, stateOf(page)]).toEqual([400, 'error']);
      expect(page.headers.get('content-security-policy')).toContain("default-src 'none'; style-src");
    });

    it.each(['PUT', 'PATCH', 'DELETE', 'OPTIONS'])('is 404 for the method %s', async (method) => {
      const page = await open((await link()).url, { method });
      expect([page.status, page.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8']);
    });
  });

  describe('when a form is submitted', () => {
    it('posts exactly one succeeded payment and shows its receipt', async () => {
      const payee = await anOwner(service.api);
      const paid = await link(
        { reference: 'invoice-1', metadata: { order: '7', sandbox_outcome: 'failed' } },
        payee,
      );
      const response = await submitOutcome(paid.url, 'succeeded');
      expect([response.status, response.headers.get('location'), response.html]).toEqual([
        303,
        `./${paid.secret}`,
        '',
      ]);
      const page = await open(paid.url);
      expect(stateOf(page)).toBe('paid');
      expect(await statusOf(payee.api, paid)).toBe('succeeded');
      expect(await moneyOf(payee)).toEqual({
        payments: ['payment succeeded 1250'],
        journal: 1250,
        posted: 1250,
      });
      const [{ id }] = (await payee.api.get('/v1/transactions')).body.data;
      expect(page.html).toContain(id);
      expect((await payee.api.get(`/v1/transactions/${id}`)).body).toMatchObject({
        reference: 'invoice-1',
        metadata: { order: '7' },
      });
    });

    it('pays once when the form is submitted again', async () => {
      const payee = await anOwner(service.api);
      const { url } = await link({}, payee);
      for (const outcome of ['succeeded', 'succeeded', 'declined', 'succeeded'] as const)
        await submitOutcome(url, outcome);
      expect(stateOf(await open(url))).toBe('paid');
      expect(await moneyOf(payee)).toEqual({
        payments: ['payment succeeded 1250'],
        journal: 1250,
        posted: 1250,
      });
    });

    it('pays once when it is submitted 20 times concurrently on two replicas', async () => {
      const payee = await anOwner(service.api);
      const replica = await service.replica();
      try {
        const { url, secret } = await link({}, payee);
        const urls = Array.from({ length: 20 }, (_, n) =>
          n % 2 === 0 ? url : `${replica.url}/pay/${secret}`,
        );
        const responses = await Promise.all(urls.map((one) => submitOutcome(one, 'succeeded')));
        expect(responses.map(({ status }) => status)).toEqual(urls.map(() => 303));
        expect(await moneyOf(payee)).toEqual({
          payments: ['payment succeeded 1250'],
          journal: 1250,
          posted: 1250,
        });
      } finally {
        await replica.stop();
      }
    });

    it('keeps a declined request pending and payable', async () => {
      const declined = await link();
      await submitOutcome(declined.url, 'declined');
      const page = await open(declined.url, { headers: { 'accept-language': 'en' } });
      expect(stateOf(page)).toBe('pay');
      expect(page.html).toContain('You have 4 attempts left.');
      expect(await statusOf(owner.api, declined)).toBe('pending');
      await submitOutcome(declined.url, 'succeeded', 1);
      expect(await statusOf(owner.api, declined)).toBe('succeeded');
    });

    it('counts a decline that is submitted repeatedly once', async () => {
      const { url } = await link();
      await Promise.all([
        submitOutcome(url, 'declined'),
        submitOutcome(url, 'declined'),
        submitOutcome(url, 'declined'),
      ]);
      expect((await open(url, { headers: { 'accept-language': 'en' } })).html).toContain(
        'You have 4 attempts left.',
      );
    });

    it('fails the request after the fifth decline', async () => {
      const payee = await anOwner(service.api);
      const failing = await link({}, payee);
      const seen: string[] = [];
      for (let declines = 0; declines < 5; declines += 1) {
        await submitOutcome(failing.url, 'declined', declines);
        seen.push(await statusOf(payee.api, failing));
      }
      expect(seen).toEqual(['pending', 'pending', 'pending', 'pending', 'failed']);
      await submitOutcome(failing.url, 'succeeded', 5);
      expect(stateOf(await open(failing.url))).toBe('failed');
      expect(await moneyOf(payee)).toEqual({ payments: [], journal: 0, posted: 0 });
    });

    it('rejects unknown forms', async () => {
      const { url, ...own } = await link();
      const rejected = await Promise.all([
        send(url, ''),
        send(url, 'outcome=succeeded'),
        send(url, 'declines=0'),
        send(url, 'outcome=free&declines=0'),
        send(url, 'outcome=succeeded&declines=-1'),
        send(url, 'outcome=succeeded&declines=1e3'),
        send(url, '{"outcome":"succeeded","declines":"0"}', 'application/json'),
        send(url, 'outcome=succeeded&declines=0', 'text/plain'),
        send(url, 'outcome=succeeded&declines=0', 'nonsense'),
        open(url, { method: 'POST' }),
      ]);
      expect(rejected.map((page) => `${page.status} ${stateOf(page)}`)).toEqual(
        rejected.map(() => '400 error'),
      );
      const large = await send(url, `outcome=succeeded&declines=0&x=${'x'.repeat(2000)}`);
      expect([large.status, stateOf(large)]).toEqual([413, 'error']);
      expect(await statusOf(owner.api, { url, ...own })).toBe('pending');
      expect((await submitOutcome(`${service.url}/pay/${'A'.repeat(43)}`, 'succeeded')).status).toBe(404);
    });
  });

  describe('of a request that has ended', () => {
    it('shows a cancellation and takes no payment', async () => {
      const canceled = await link();
      await owner.api.delete(`/v1/payments/${canceled.id}`);
      expect((await submitOutcome(canceled.url, 'succeeded')).status).toBe(303);
      expect(stateOf(await open(canceled.url))).toBe('canceled');
      expect(await statusOf(owner.api, canceled)).toBe('canceled');
    });

    it('shows the expiry before and after the periodic task runs', async () => {
      const [first, second, left] = [
        await link({ expires_at: inAMinute() }),
        await link({ expires_at: inAMinute() }),
        await link(),
      ];
      service.clock.move({ seconds: 61 });
      expect(stateOf(await open(second.url))).toBe('expired');
      expect(await statusOf(owner.api, second)).toBe('pending');
      await submitOutcome(first.url, 'succeeded');
      expect([stateOf(await open(first.url)), await statusOf(owner.api, first)]).toEqual([
        'expired',
        'canceled',
      ]);
      await service.runDueTasks();
      expect([stateOf(await open(second.url)), await statusOf(owner.api, second)]).toEqual([
        'expired',
        'canceled',
      ]);
      expect(await statusOf(owner.api, left)).toBe('pending');
    });

    it('expires more requests than one batch of the periodic task', async () => {
      const payee = await anOwner(service.api);
      await Promise.all(Array.from({ length: 12 }, () => link({ expires_at: inAMinute() }, payee)));
      await service.sql(
        `INSERT INTO payment_requests (account_id, id, amount, currency, customer_email, metadata, secret, status, expires_at, created_at, updated_at)
         SELECT account_id, id || n, amount, currency, customer_email, metadata, secret || n, status, expires_at, created_at, updated_at
         FROM payment_requests, generate_series(1, 40) n WHERE account_id = $1`,
        [payee.accountId],
      );
      service.clock.move({ seconds: 61 });
      await service.runDueTasks();
      const rows = await service.sql(
        'SELECT status, count(*)::int FROM payment_requests WHERE account_id = $1 GROUP BY status',
        [payee.accountId],
      );
      expect(rows).toEqual([{ status: 'canceled', count: 12 * 41 }]);
    });
  });

  describe("depends on the account's status", () => {
    it('takes no payment and counts no decline while the account is suspended', async () => {
      const payee = await anOwner(service.api);
      const waiting = await link({}, payee);
      await admin.api.patch(`/v1/accounts/${payee.accountId}`, { status: 'suspended' });
      expect(stateOf(await open(waiting.url))).toBe('unavailable');
      for (let attempt = 0; attempt < 6; attempt += 1) {
        for (const outcome of ['succeeded', 'declined'] as const) {
          const response = await submitOutcome(waiting.url, outcome);
          expect([response.status, stateOf(response)]).toEqual([409, 'unavailable']);
        }
      }
      expect(await statusOf(admin.api, waiting)).toBe('pending');
      await admin.api.patch(`/v1/accounts/${payee.accountId}`, { status: 'active' });
      const page = await open(waiting.url);
      expect([stateOf(page), page.html.includes('role="alert"')]).toEqual(['pay', false]);
      await submitOutcome(waiting.url, 'succeeded');
      expect(await statusOf(admin.api, waiting)).toBe('succeeded');
    });

    it('takes payments while the account is pending, and none after it is closed', async () => {
      const payee = await anOwner(service.api);
      const [first, second] = [await link({}, payee), await link({}, payee)];
      await admin.api.patch(`/v1/accounts/${payee.accountId}`, { status: 'pending' });
      await submitOutcome(first.url, 'succeeded');
      expect(await statusOf(admin.api, first)).toBe('succeeded');
      await admin.api.delete(`/v1/accounts/${payee.accountId}`);
      await submitOutcome(second.url, 'succeeded');
      expect([stateOf(await open(first.url)), stateOf(await open(second.url))]).toEqual(['paid', 'canceled']);
    });

    it('takes no payment above the largest balance', async () => {
      const payee = await anOwner(service.api);
      const [full, more] = [
        await link({ amount: Number.MAX_SAFE_INTEGER }, payee),
        await link({ amount: 1 }, payee),
      ];
      await submitOutcome(full.url, 'succeeded');
      const response = await submitOutcome(more.url, 'succeeded');
      expect([response.status, stateOf(response)]).toEqual([409, 'unavailable']);
      expect(await statusOf(payee.api, more)).toBe('pending');
      expect((await moneyOf(payee)).posted).toBe(Number.MAX_SAFE_INTEGER);
    });
  });

  describe('in races', () => {
    it('of two payments, a decline, a cancellation and the expiry has one end that agrees with the money', async () => {
      const payee = await anOwner(service.api);
      let succeeded = 0;
      for (let round = 0; round < rounds(8); round += 1) {
        const raced = await link({ expires_at: inAMinute() }, payee);
        const expiry = async (): Promise<void> => {
          service.clock.move({ seconds: round % 2 === 0 ? 61 : 0 });
          await service.runDueTasks();
        };
        const cancel = async (): Promise<void> => void (await payee.api.delete(`/v1/payments/${raced.id}`));
        const pay = async (): Promise<void> => void (await submitOutcome(raced.url, 'succeeded'));
        const decline = async (): Promise<void> => void (await submitOutcome(raced.url, 'declined'));
        const runners = [pay, pay, decline, ...(round % 3 === 0 ? [cancel] : []), expiry];
        await Promise.all(
          runners
            .slice(round % runners.length)
            .concat(runners.slice(0, round % runners.length))
            .map((run) => run()),
        );
        const status = await statusOf(payee.api, raced);
        const shown = stateOf(await open(raced.url))!;
        expect({ succeeded: ['paid'], canceled: ['canceled', 'expired'] }[status]).toContain(shown);
        if (status === 'succeeded') succeeded += 1;
        const { journal, posted } = await moneyOf(payee);
        expect([posted, journal]).toEqual([succeeded * 1250, succeeded * 1250]);
      }
    });

    it('of a payment and a cancellation that wait for the request has one end', async () => {
      const payee = await anOwner(service.api);
      for (let round = 0; round < rounds(4); round += 1) {
        const raced = await link({}, payee);
        const before = (await moneyOf(payee)).posted;
        await service.sql('BEGIN');
        await service.sql('SELECT 1 FROM payment_requests WHERE account_id = $1 AND id = $2 FOR UPDATE', [
          payee.accountId,
          raced.id,
        ]);
        const waiting = Promise.all([
          submitOutcome(raced.url, 'succeeded'),
          payee.api.delete(`/v1/payments/${raced.id}`),
        ]);
        await untilOneWaits(service); // for both, which are in one group
        await service.sql('COMMIT');
        const [, canceled] = await waiting;
        const paid = (await statusOf(payee.api, raced)) === 'succeeded';
        expect(canceled.status).toBe(paid ? 409 : 200);
        expect((await moneyOf(payee)).posted).toBe(before + (paid ? 1250 : 0));
      }
    });

    it('of a payment and a suspension is paid before or stays pending', async () => {
      for (let round = 0; round < rounds(4); round += 1) {
        const payee = await anOwner(service.api);
        const raced = await link({}, payee);
        const [response] = await Promise.all([
          submitOutcome(raced.url, 'succeeded'),
          admin.api.patch(`/v1/accounts/${payee.accountId}`, { status: 'suspended' }),
        ]);
        expect(await statusOf(admin.api, raced)).toBe(response.status === 303 ? 'succeeded' : 'pending');
      }
    });
  });

  describe('every response', () => {
    const everyResponse = async (): Promise<Page[]> => {
      const { url } = await link();
      return [
        await open(url),
        await submitOutcome(url, 'succeeded'),
        await open(url),
        await send(url, 'nonsense'),
        await open(`${url}x`),
        await open(url, { method: 'DELETE' }),
      ];
    };

    it('is HTML with strict security headers', async () => {
      for (const { status, headers } of await everyResponse()) {
        if (status !== 303) expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
        expect(Object.fromEntries(headers)).toMatchObject({
          'cache-control': 'no-store',
          'referrer-policy': 'no-referrer',
          'x-robots-tag': 'noindex, nofollow',
          'x-content-type-options': 'nosniff',
          'x-frame-options': 'DENY',
          vary: 'Accept-Language',
          'x-request-id': expect.any(String),
        });
        expect(headers.get('content-security-policy')).toMatch(
          /^default-src 'none'; style-src 'sha256-[^']+';/,
        );
        expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
        expect(headers.get('content-security-policy')).not.toContain('unsafe-inline');
        expect(headers.get('set-cookie')).toBeNull();
      }
    });

    it('has no script', async () => {
      for (const { html } of await everyResponse()) expect(html).not.toMatch(/<script|\son\w+=|javascript:/i);
    });

    it('is a page without details when the service fails', async () => {
      const { url } = await link();
      await service.sql('ALTER TABLE payment_requests RENAME TO hidden');
      try {
        for (const page of [
          await open(url, { headers: { 'accept-language': 'fr' } }),
          await submitOutcome(url, 'succeeded'),
        ]) {
          expect([page.status, stateOf(page)]).toEqual([500, 'error']);
          expect(page.html).not.toMatch(/payment_requests|relation|at \w+|Error/);
        }
      } finally {
        await service.sql('ALTER TABLE hidden RENAME TO payment_requests');
      }
    });

    it('is a page when the rate limit is exceeded', async () => {
      const busy = await service.replica({ RATE_LIMIT_PER_SECOND: '1' });
      try {
        const { secret } = await link();
        const pages = await Promise.all([1, 2, 3].map(() => open(`${busy.url}/pay/${secret}`)));
        const limited = pages.filter(({ status }) => status === 429);
        expect(limited.length).toBeGreaterThan(0);
        for (const page of limited) {
          expect([stateOf(page), page.headers.get('retry-after')]).toEqual(['error', '1']);
          expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
        }
      } finally {
        await busy.stop();
      }
    });

    it('keeps the secret out of the log', async () => {
      const { url, secret } = await link();
      for (const go of [
        () => open(url),
        () => submitOutcome(url, 'succeeded'),
        () => send(url, 'x'),
        () => open(`${url}/x`),
      ])
        await go();
      const lines = (): string[] => service.logged.filter((line) => line.includes('"/pay/:secret"'));
      await eventually(() => lines().length).toBeGreaterThanOrEqual(3);
      expect(service.logged.join('')).not.toContain(secret);
    });
  });

  it('does not enable forms in the API', async () => {
    for (const path of ['/v1/auth/login', '/v1/payments', '/v1/users']) {
      const response = await send(`${service.url}${path}`, 'email=a&password=b');
      expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
      expect(response.html).toContain('Content-Type: application/json');
    }
  });

  it("has the service's own address by default", async () => {
    const bare = await startTestService({ PAYMENT_PAGE_URL: '', PORT: '0' });
    const { api, accountId } = await anOwner(bare.api);
    const { payment_url } = await created(api, '/v1/payments', aPaymentRequest(accountId));
    expect(payment_url).toMatch(new RegExp(`^${bare.url}/pay/`));
    expect((await fetch(payment_url)).status).toBe(200);
    await bare.stop();
  });
});
