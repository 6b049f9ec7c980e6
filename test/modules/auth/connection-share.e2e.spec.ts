import { Client } from 'pg';
import { setTimeout as delay } from 'node:timers/promises';
import { SESSION_TIMEOUTS_MS } from '../../../src/platform/database/engine/data-source';
import { Reply } from '../../support/api';
import { anAccount, anOwner, created, Owner, PASSWORD, someEmail, theAdmin } from '../../support/people';
import { aPaymentLink, send } from '../../support/payment-page';
import { startTestService, TestService } from '../../support/service';

/** More requests than the pool has connections. */
const REQUESTS = 20;

/** Half of the time after which a change that waits for a lock fails. */
const MAX_ELAPSED_MS = SESSION_TIMEOUTS_MS.lock_timeout / 2;

describe('A client that keeps connections busy', () => {
  let service: TestService;
  let blocker: Client;
  let busy: Owner;
  let bystander: Owner;

  beforeAll(async () => {
    service = await startTestService({ DATABASE_POOL_SIZE: '6' });
    blocker = new Client({ connectionString: service.databaseUrl });
    await blocker.connect();
  });
  afterAll(async () => {
    await blocker.end();
    await service.stop();
  });
  beforeEach(async () => {
    [busy, bystander] = [await anOwner(service.api), await anOwner(service.api)];
  });

  const requests = (send: () => Promise<{ status: number }>): Promise<{ status: number }[]> =>
    Promise.all(Array.from({ length: REQUESTS }, send));

  const payment = (owner: Owner, type = 'payment') => ({
    account_id: owner.accountId,
    amount: 1250,
    currency: 'USD',
    type,
  });

  /** Blocks with a lock of another client while the busy account sends requests. */
  async function whileBlocked(
    lock: string,
    sent: () => Promise<{ status: number }>,
    create = () => bystander.api.post('/v1/transactions', payment(bystander)),
  ): Promise<void> {
    await blocker.query(`BEGIN; ${lock}`);
    const blocked = requests(sent);
    await delay(300);
    const begun = performance.now();
    const replies: Reply[] = await Promise.all([
      bystander.api.get('/v1/account/balance'),
      bystander.api.get('/v1/transactions'),
      create(),
    ]);
    const elapsedMs = performance.now() - begun;
    await blocker.query('ROLLBACK');
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 201]);
    expect(elapsedMs).toBeLessThan(MAX_ELAPSED_MS);
    // Nothing has waited for long, so all succeed once the lock is released.
    const statuses = new Set((await blocked).map(({ status }) => status));
    expect([...statuses].filter((status) => status >= 400)).toEqual([]);
  }

  const lockOf = ({ accountId }: Owner): string =>
    `SELECT FROM accounts WHERE id = '${accountId}' FOR UPDATE`;

  it('by changes that wait for its lock delays no other account', async () => {
    const request = {
      account_id: busy.accountId,
      amount: 1,
      currency: 'USD',
      customer_email: 'c@example.com',
    };
    await whileBlocked(lockOf(busy), () => busy.api.post('/v1/payments', request));
  });

  it('by creations that wait for the locks of many accounts delays no account', async () => {
    const admin = await theAdmin(service.api);
    const owners = await Promise.all(Array.from({ length: REQUESTS }, () => anAccount(service.api)));
    const lock = owners.map(lockOf).join('; ');
    await whileBlocked(lock, () => admin.api.post('/v1/transactions', payment(owners.pop()!)));
  });

  it('by lists that take long delays no other account', async () => {
    await whileBlocked('LOCK TABLE subscriptions', () => busy.api.get('/v1/subscriptions'));
  });

  it('by customers who pay delays no other account', async () => {
    const { url } = await aPaymentLink(service, busy);
    await whileBlocked(lockOf(busy), () => send(url, 'outcome=declined&declines=0'));
  });

  it('by refreshes of one session delays no other account', async () => {
    const lock = `SELECT FROM sessions WHERE user_id = '${busy.id}' FOR UPDATE`;
    const body = { refresh_token: busy.refreshToken };
    await whileBlocked(lock, () => service.api.post('/v1/auth/refresh', body));
  });

  it('by logins of one user delays no other account', async () => {
    const lock = `SELECT FROM credentials WHERE subject_id = '${busy.id}' FOR UPDATE`;
    const body = { email: busy.email, password: PASSWORD };
    await whileBlocked(lock, () => service.api.post('/v1/auth/login', body));
  });

  it('by transfers of many accounts to a locked one delays no other account', async () => {
    const senders = await Promise.all(Array.from({ length: REQUESTS }, () => anAccount(service.api)));
    for (const sender of [bystander, ...senders])
      await created(sender.api, '/v1/transactions', payment(sender, 'credit'));
    const transfer = (from: Owner, to: Owner) => {
      const terms = {
        from_account_id: from.accountId,
        to_account_id: to.accountId,
        amount: 1,
        currency: 'USD',
      };
      return from.api.post('/v1/transfers', terms);
    };
    const receiver = senders[0]!;
    await whileBlocked(
      lockOf(busy),
      () => transfer(senders.pop()!, busy),
      () => transfer(bystander, receiver),
    );
  });

  it('by sign-ups from one network, which have one count, delays no account', async () => {
    const lock = `SELECT FROM shared_limits WHERE key LIKE 'sign-ups:%' FOR UPDATE`;
    await whileBlocked(lock, () => service.api.post('/v1/users', { email: someEmail(), password: PASSWORD }));
  });
});
