import { aUser, anOwner, logIn, Owner, theAdmin } from '../../support/people';
import { startTestService, TestService } from '../../support/service';
import { countUsers, haveMembers } from './members';

const PENDING = 12_000;

/** The longest of the waits of others, or on a slow machine its part of the time that the closing takes. */
const MAX_WAIT_MS = 3_000;
const MAX_PART = 0.3;

/** More than an account may have: it had them before there was a limit. Their audit entries exceed one statement. */
const MEMBERS = 4_600;

/** @param waits one after the other, for as long as the closing took */
function expectShort(waits: readonly number[]): void {
  const tookMs = waits.reduce((sum, ms) => sum + ms, 0);
  expect(Math.max(...waits)).toBeLessThan(Math.max(MAX_WAIT_MS, MAX_PART * tookMs));
}

describe('Closing an account with many pending transactions', () => {
  let service: TestService;
  let owner: Owner;

  beforeAll(async () => {
    service = await startTestService();
  });
  afterAll(() => service.stop());
  beforeEach(async () => {
    owner = await anOwner(service.api);
    const order = { account_id: owner.accountId, amount: 1, currency: 'USD', type: 'payment' };
    const { body } = await owner.api.post('/v1/transactions', order);
    await service.sql(
      `INSERT INTO transactions SELECT (t).* FROM (
         SELECT jsonb_populate_record(t, jsonb_build_object('id', 'txn_0' || lpad(n::text, 25, '0'))) AS t
         FROM transactions AS t, generate_series(1, ${PENDING - 1}) AS n WHERE id = $1) AS copies`,
      [body.id],
    );
    await service.sql('UPDATE accounts SET pending_in = $2 WHERE id = $1', [owner.accountId, PENDING]);
  });

  const pendingRows = async (): Promise<{ status: string; pending_in: string; rows: string }> =>
    (
      await service.sql<{ status: string; pending_in: string; rows: string }>(
        `SELECT status, pending_in, (SELECT count(*) FROM transactions AS t
           WHERE t.account_id = a.id AND t.status = 'pending') AS rows FROM accounts AS a WHERE id = $1`,
        [owner.accountId],
      )
    )[0]!;

  it('cancels them in short database transactions, between which others get the lock', async () => {
    const admin = await theAdmin(service.api);
    let closed = false;
    const closing = admin.api.delete(`/v1/accounts/${owner.accountId}`).finally(() => (closed = true));
    const waits: number[] = [];
    while (!closed) {
      const begun = performance.now();
      await service.sql('SELECT FROM accounts WHERE id = $1 FOR UPDATE', [owner.accountId]);
      waits.push(performance.now() - begun);
    }
    expect(await closing).toMatchObject({ status: 200, body: { status: 'closed' } });
    expect(await pendingRows()).toEqual({ status: 'closed', pending_in: '0', rows: '0' });
    expect(waits.length).toBeGreaterThan(PENDING / 1_000 / 2);
    expectShort(waits);
  });

  it('is completed by a repeat after an interruption, with a correct balance in between', async () => {
    await service.sql(`CREATE FUNCTION interrupt() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      IF NEW.pending_in < ${PENDING / 2} THEN RAISE EXCEPTION 'interrupted' USING ERRCODE = '57P01'; END IF;
      RETURN NEW; END $$`);
    await service.sql(
      'CREATE TRIGGER interrupt BEFORE UPDATE ON accounts FOR EACH ROW EXECUTE FUNCTION interrupt()',
    );
    expect((await owner.api.delete('/v1/account')).status).toBe(503);
    await service.sql('DROP FUNCTION interrupt CASCADE');
    const { status, pending_in, rows } = await pendingRows();
    expect([status, pending_in]).toEqual(['active', rows]);
    expect(Number(rows)).toBeLessThan(PENDING);
    expect((await owner.api.delete('/v1/account')).status).toBe(200);
    expect(await pendingRows()).toEqual({ status: 'closed', pending_in: '0', rows: '0' });
  });
});

describe('Closing an account with very many members', () => {
  it('deletes them in short database transactions, between which others write to the audit log', async () => {
    const service = await startTestService();
    try {
      const owner = await anOwner(service.api);
      const member = await haveMembers(service, owner, MEMBERS);
      const other = await aUser(service.api);
      let closed = false;
      const closing = owner.api.delete('/v1/account').finally(() => (closed = true));
      const waits: number[] = [];
      while (!closed) {
        const begun = performance.now();
        await logIn(service.api, other.email);
        waits.push(performance.now() - begun);
      }
      expect(await closing).toMatchObject({ status: 200, body: { status: 'closed' } });
      expect(await countUsers(service, owner)).toBe(0);
      expect((await member.api.get('/v1/account')).status).toBe(401);
      expect(waits.length).toBeGreaterThan(MEMBERS / 200);
      expectShort(waits);
    } finally {
      await service.stop();
    }
  });
});
