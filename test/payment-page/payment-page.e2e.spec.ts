import { messages } from '../../src/modules/payment-requests/page/languages';
import { aPaymentRequest } from '../support/movements';
import { anOwner, created, Owner, Person, theAdmin } from '../support/people';
import { rounds } from '../support/rounds';
import { startTestService, TestService } from '../support/service';
import { aLink, Link, open, Page, press, send, stateOf, statusOf } from './visitor';

const MINUTE_MS = 60_000;

describe('The payment page in the sandbox', () => {
  let service: TestService;
  let owner: Owner;
  let admin: Person;

  beforeAll(async () => {
    // The clock moves by minutes, and tokens are to outlive that.
    service = await startTestService({ ACCESS_TOKEN_TTL: '86400' });
    [owner, admin] = await Promise.all([anOwner(service.api), theAdmin(service.api)]);
  });
  afterAll(() => service.stop());

  const link = (members: object = {}, of: Owner = owner): Promise<Link> => aLink(service, of, members);
  const inAMinute = (): string => new Date(service.clock.now().getTime() + MINUTE_MS).toISOString();

  /** Waits until that many of the service's connections wait for a lock. */
  async function untilWaiting(count: number): Promise<void> {
    const deadline = Date.now() + 10_000;
    for (;;) {
      await service.sql('SELECT pg_stat_clear_snapshot()');
      const [row] = await service.sql<{ waiting: number }>(
        `SELECT count(*)::int AS waiting FROM pg_stat_activity
         WHERE datname = current_database() AND wait_event_type = 'Lock'`,
      );
      if (row!.waiting >= count) return;
      if (Date.now() > deadline)
        throw new Error(`${row!.waiting} connections wait for a lock, not ${count}.`);
    }
  }

  /** The payments of an account, and what the journal and the balance say that it holds. */
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

  describe('opened', () => {
    it('says who asks, how much, for what and until when', async () => {
      const { url } = await link({ reference: 'invoice-2041' });
      const page = await open(url, { headers: { 'accept-language': 'en' } });
      expect([page.status, stateOf(page)]).toEqual([200, 'pay']);
      for (const part of ['Lovelace Ltd', '$12.50', 'invoice-2041', '<time datetime="', 'Test mode']) {
        expect(page.html).toContain(part);
      }
      expect(Buffer.byteLength(page.html)).toBeLessThan(30_000);
    });

    it.each(Object.entries(messages))('speaks %s', async (language, { labels }) => {
      const { url } = await link();
      const page = await open(url, { headers: { 'accept-language': `${language}-XX;q=0.9, ja` } });
      expect(page.headers.get('content-language')).toBe(language);
      expect(page.html).toContain(`<html lang="${language}">`);
      expect(page.html).toContain(`<dt>${labels.payBy}</dt>`);
    });

    it("speaks the account's language to who states none, and tells time on its clocks", async () => {
      const german = await anOwner(service.api, { language: 'de-AT', timezone: 'Asia/Tokyo' });
      const { url } = await link({}, german);
      const { html } = await open(url);
      expect(html).toContain('<html lang="de">');
      expect(html).toMatch(/UTC\+9|JST|GMT\+9/);
    });

    it('changes nothing, however it is opened', async () => {
      const { id, url } = await link();
      const stored = (): Promise<object[]> =>
        service.sql('SELECT p.*, p.xmin::text FROM payment_requests p WHERE id = $1', [id]);
      const before = await stored();
      for (const method of ['GET', 'HEAD', 'OPTIONS', 'PUT', 'PATCH', 'DELETE']) await open(url, { method });
      await open(`${url}?outcome=paid&declines=0`);
      expect(await stored()).toEqual(before);
      expect((await open(url, { method: 'HEAD' })).status).toBe(200);
    });

    it('is 404 for a link that leads nowhere, in whatever form it comes', async () => {
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

    it.each(['PUT', 'PATCH', 'DELETE', 'OPTIONS'])('does not know the method %s', async (method) => {
      const page = await open((await link()).url, { method });
      expect([page.status, page.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8']);
    });
  });

  describe('pressed', () => {
    it('posts exactly one succeeded payment, and shows a receipt with its number', async () => {
      const payee = await anOwner(service.api);
      const paid = await link(
        { reference: 'invoice-1', metadata: { order: '7', sandbox_outcome: 'failed' } },
        payee,
      );
      const answer = await press(paid.url, 'paid');
      expect([answer.status, answer.headers.get('location'), answer.html]).toEqual([
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

    it('twice, and after it was declined elsewhere, pays once', async () => {
      const payee = await anOwner(service.api);
      const { url } = await link({}, payee);
      for (const outcome of ['paid', 'paid', 'declined', 'paid'] as const) await press(url, outcome);
      expect(stateOf(await open(url))).toBe('paid');
      expect(await moneyOf(payee)).toEqual({
        payments: ['payment succeeded 1250'],
        journal: 1250,
        posted: 1250,
      });
    });

    it('twenty times at once on two replicas, pays once', async () => {
      const payee = await anOwner(service.api);
      const replica = await service.replica();
      try {
        const { url, secret } = await link({}, payee);
        const urls = Array.from({ length: 20 }, (_, n) =>
          n % 2 === 0 ? url : `${replica.url}/pay/${secret}`,
        );
        const answers = await Promise.all(urls.map((one) => press(one, 'paid')));
        expect(answers.map(({ status }) => status)).toEqual(urls.map(() => 303));
        expect(await moneyOf(payee)).toEqual({
          payments: ['payment succeeded 1250'],
          journal: 1250,
          posted: 1250,
        });
      } finally {
        await replica.stop();
      }
    });

    it('to decline: it stays pending, tells so, and can be paid', async () => {
      const declined = await link();
      await press(declined.url, 'declined');
      const page = await open(declined.url, { headers: { 'accept-language': 'en' } });
      expect(stateOf(page)).toBe('pay');
      expect(page.html).toContain('You have 4 attempts left.');
      expect(await statusOf(owner.api, declined)).toBe('pending');
      await press(declined.url, 'paid', 1);
      expect(await statusOf(owner.api, declined)).toBe('succeeded');
    });

    it('to decline twice on one page, counts once', async () => {
      const { url } = await link();
      await Promise.all([press(url, 'declined'), press(url, 'declined'), press(url, 'declined')]);
      expect((await open(url, { headers: { 'accept-language': 'en' } })).html).toContain(
        'You have 4 attempts left.',
      );
    });

    it('to decline for the fifth time, fails, and nothing pays it any more', async () => {
      const payee = await anOwner(service.api);
      const failing = await link({}, payee);
      const seen: string[] = [];
      for (let declines = 0; declines < 5; declines += 1) {
        await press(failing.url, 'declined', declines);
        seen.push(await statusOf(payee.api, failing));
      }
      expect(seen).toEqual(['pending', 'pending', 'pending', 'pending', 'failed']);
      await press(failing.url, 'paid', 5);
      expect(stateOf(await open(failing.url))).toBe('failed');
      expect(await moneyOf(payee)).toEqual({ payments: [], journal: 0, posted: 0 });
    });

    it('with a form that is not its own, is refused and changes nothing', async () => {
      const { url, ...own } = await link();
      const refused = await Promise.all([
        send(url, ''),
        send(url, 'outcome=paid'),
        send(url, 'declines=0'),
        send(url, 'outcome=free&declines=0'),
        send(url, 'outcome=paid&declines=-1'),
        send(url, 'outcome=paid&declines=1e3'),
        send(url, '{"outcome":"paid","declines":"0"}', 'application/json'),
        send(url, 'outcome=paid&declines=0', 'text/plain'),
        send(url, 'outcome=paid&declines=0', 'nonsense'),
        open(url, { method: 'POST' }),
      ]);
      expect(refused.map((page) => `${page.status} ${stateOf(page)}`)).toEqual(
        refused.map(() => '400 error'),
      );
      const large = await send(url, `outcome=paid&declines=0&x=${'x'.repeat(2000)}`);
      expect([large.status, stateOf(large)]).toEqual([413, 'error']);
      expect(await statusOf(owner.api, { url, ...own })).toBe('pending');
      expect((await press(`${service.url}/pay/${'A'.repeat(43)}`, 'paid')).status).toBe(404);
    });
  });

  describe('of a request that has ended', () => {
    it('shows that it was canceled, and takes no payment', async () => {
      const canceled = await link();
      await owner.api.delete(`/v1/payments/${canceled.id}`);
      expect((await press(canceled.url, 'paid')).status).toBe(303);
      expect(stateOf(await open(canceled.url))).toBe('canceled');
      expect(await statusOf(owner.api, canceled)).toBe('canceled');
    });

    it('shows that it has expired from that moment on, whether the sweep has come by or not', async () => {
      const [pressed, swept, left] = [
        await link({ expires_at: inAMinute() }),
        await link({ expires_at: inAMinute() }),
        await link(),
      ];
      service.clock.move({ seconds: 61 });
      expect(stateOf(await open(swept.url))).toBe('expired');
      expect(await statusOf(owner.api, swept)).toBe('pending');
      await press(pressed.url, 'paid');
      expect([stateOf(await open(pressed.url)), await statusOf(owner.api, pressed)]).toEqual([
        'expired',
        'canceled',
      ]);
      await service.sweep();
      expect([stateOf(await open(swept.url)), await statusOf(owner.api, swept)]).toEqual([
        'expired',
        'canceled',
      ]);
      expect(await statusOf(owner.api, left)).toBe('pending');
    });

    it('by a sweep that finds more than it takes at a time, ends all of them', async () => {
      const payee = await anOwner(service.api);
      await Promise.all(Array.from({ length: 12 }, () => link({ expires_at: inAMinute() }, payee)));
      // More of them than the sweep takes in one transaction.
      await service.sql(
        `INSERT INTO payment_requests (account_id, id, amount, currency, customer_email, metadata, secret, status, expires_at, created_at, updated_at)
         SELECT account_id, id || n, amount, currency, customer_email, metadata, secret || n, status, expires_at, created_at, updated_at
         FROM payment_requests, generate_series(1, 40) n WHERE account_id = $1`,
        [payee.accountId],
      );
      service.clock.move({ seconds: 61 });
      await service.sweep();
      const rows = await service.sql(
        'SELECT status, count(*)::int FROM payment_requests WHERE account_id = $1 GROUP BY status',
        [payee.accountId],
      );
      expect(rows).toEqual([{ status: 'canceled', count: 12 * 41 }]);
    });
  });

  describe("while the account's status forbids it", () => {
    it('takes no payment and uses up no attempt: the request stays pending and is paid later', async () => {
      const payee = await anOwner(service.api);
      const waiting = await link({}, payee);
      await admin.api.patch(`/v1/accounts/${payee.accountId}`, { status: 'suspended' });
      expect(stateOf(await open(waiting.url))).toBe('unavailable');
      for (let press_ = 0; press_ < 6; press_ += 1) {
        for (const outcome of ['paid', 'declined'] as const) {
          const answer = await press(waiting.url, outcome);
          expect([answer.status, stateOf(answer)]).toEqual([409, 'unavailable']);
        }
      }
      expect(await statusOf(admin.api, waiting)).toBe('pending');
      await admin.api.patch(`/v1/accounts/${payee.accountId}`, { status: 'active' });
      const page = await open(waiting.url);
      expect([stateOf(page), page.html.includes('role="alert"')]).toEqual(['pay', false]);
      await press(waiting.url, 'paid');
      expect(await statusOf(admin.api, waiting)).toBe('succeeded');
    });

    it('is payable while it is pending, and canceled once it is closed', async () => {
      const payee = await anOwner(service.api);
      const [first, second] = [await link({}, payee), await link({}, payee)];
      await admin.api.patch(`/v1/accounts/${payee.accountId}`, { status: 'pending' });
      await press(first.url, 'paid');
      expect(await statusOf(admin.api, first)).toBe('succeeded');
      await admin.api.delete(`/v1/accounts/${payee.accountId}`);
      await press(second.url, 'paid');
      expect([stateOf(await open(first.url)), stateOf(await open(second.url))]).toEqual(['paid', 'canceled']);
    });

    it('takes nothing beyond the largest balance', async () => {
      const payee = await anOwner(service.api);
      const [full, more] = [
        await link({ amount: Number.MAX_SAFE_INTEGER }, payee),
        await link({ amount: 1 }, payee),
      ];
      await press(full.url, 'paid');
      const answer = await press(more.url, 'paid');
      expect([answer.status, stateOf(answer)]).toEqual([409, 'unavailable']);
      expect(await statusOf(payee.api, more)).toBe('pending');
      expect((await moneyOf(payee)).posted).toBe(Number.MAX_SAFE_INTEGER);
    });
  });

  describe('raced', () => {
    it('by pay x pay x decline x cancel x expiry: one end, shown truthfully, and the money agrees', async () => {
      const payee = await anOwner(service.api);
      let succeeded = 0;
      for (let round = 0; round < rounds(8); round += 1) {
        const raced = await link({ expires_at: inAMinute() }, payee);
        const expiry = async (): Promise<void> => {
          service.clock.move({ seconds: round % 2 === 0 ? 61 : 0 });
          await service.sweep();
        };
        const cancel = async (): Promise<void> => void (await payee.api.delete(`/v1/payments/${raced.id}`));
        const pay = async (): Promise<void> => void (await press(raced.url, 'paid'));
        const decline = async (): Promise<void> => void (await press(raced.url, 'declined'));
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

    it('by pay x cancel that wait for it together: one end, and the sweep waits for neither', async () => {
      const payee = await anOwner(service.api);
      for (let round = 0; round < rounds(4); round += 1) {
        const [raced, other] = [
          await link({ expires_at: inAMinute() }, payee),
          await link({ expires_at: inAMinute() }, payee),
        ];
        const before = (await moneyOf(payee)).posted;
        await service.sql('BEGIN');
        await service.sql('SELECT 1 FROM payment_requests WHERE id = $1 FOR UPDATE', [raced.id]);
        const waiting = Promise.all(
          [() => press(raced.url, 'paid'), () => payee.api.delete(`/v1/payments/${raced.id}`)].map((go) =>
            go(),
          ),
        );
        await untilWaiting(2);
        service.clock.move({ seconds: 61 });
        await service.sweep();
        expect([await statusOf(payee.api, raced), await statusOf(payee.api, other)]).toEqual([
          'pending',
          'canceled',
        ]);
        await service.sql('COMMIT');
        const [, canceled] = await waiting;
        const paid = (await statusOf(payee.api, raced)) === 'succeeded';
        expect(canceled!.status).toBe(paid ? 409 : 200);
        expect((await moneyOf(payee)).posted).toBe(before + (paid ? 1250 : 0));
      }
    });

    it('by a suspension: it is paid before, or stays pending', async () => {
      for (let round = 0; round < rounds(4); round += 1) {
        const payee = await anOwner(service.api);
        const raced = await link({}, payee);
        const [answer] = await Promise.all([
          press(raced.url, 'paid'),
          admin.api.patch(`/v1/accounts/${payee.accountId}`, { status: 'suspended' }),
        ]);
        expect(await statusOf(admin.api, raced)).toBe(answer.status === 303 ? 'succeeded' : 'pending');
      }
    });
  });

  describe('as an answer', () => {
    const everyAnswer = async (): Promise<Page[]> => {
      const { url } = await link();
      return [
        await open(url),
        await press(url, 'paid'),
        await open(url),
        await send(url, 'nonsense'),
        await open(`${url}x`),
        await open(url, { method: 'DELETE' }),
      ];
    };

    it('is HTML that is kept nowhere, framed nowhere, found nowhere, and tells nobody where it was', async () => {
      for (const { status, headers } of await everyAnswer()) {
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

    it('runs no script', async () => {
      for (const { html } of await everyAnswer()) expect(html).not.toMatch(/<script|\son\w+=|javascript:/i);
    });

    it('is a page also when the service fails, without a word of why', async () => {
      const { url } = await link();
      await service.sql('ALTER TABLE payment_requests RENAME TO hidden');
      try {
        for (const page of [
          await open(url, { headers: { 'accept-language': 'fr' } }),
          await press(url, 'paid'),
        ]) {
          expect([page.status, stateOf(page)]).toEqual([500, 'error']);
          expect(page.html).not.toMatch(/payment_requests|relation|at \w+|Error/);
        }
      } finally {
        await service.sql('ALTER TABLE hidden RENAME TO payment_requests');
      }
    });

    it('is a page also for who asks too often', async () => {
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

    it('leaves the secret out of the log', async () => {
      const { url, secret } = await link();
      for (const go of [
        () => open(url),
        () => press(url, 'paid'),
        () => send(url, 'x'),
        () => open(`${url}/x`),
      ])
        await go();
      const lines = (): string[] => service.logged.filter((line) => line.includes('"/pay/:secret"'));
      const deadline = Date.now() + 5000;
      while (lines().length < 3 && Date.now() < deadline)
        await new Promise((resolve) => setImmediate(resolve));
      expect(lines().length).toBeGreaterThanOrEqual(3);
      expect(service.logged.join('')).not.toContain(secret);
    });
  });

  it('leaves the API as it is: forms are taken nowhere else', async () => {
    for (const path of ['/v1/auth/login', '/v1/payments', '/v1/users']) {
      const answer = await send(`${service.url}${path}`, 'email=a&password=b');
      expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
      expect(answer.html).toContain('Content-Type: application/json');
    }
  });

  it('is linked under the port that the service was given, where no address is set', async () => {
    const bare = await startTestService({ PAYMENT_PAGE_URL: '', PORT: '0' });
    const { api, accountId } = await anOwner(bare.api);
    const { payment_url } = await created(api, '/v1/payments', aPaymentRequest(accountId));
    expect(payment_url).toMatch(new RegExp(`^${bare.url}/pay/`));
    expect((await fetch(payment_url)).status).toBe(200);
    await bare.stop();
  });
});
