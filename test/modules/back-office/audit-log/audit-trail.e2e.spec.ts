import { isOnCitus } from '../../../support/citus';
import { AUDIT_ENTRIES } from '../../../support/audit-entries';
import { aUser, anAccount, PASSWORD, someEmail, theAdmin } from '../../../support/people';
import { startTestService, TestService } from '../../../support/service';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

const entries = (where: string, ...values: unknown[]) =>
  service.sql<any>(`SELECT * FROM ${AUDIT_ENTRIES} WHERE ${where} ORDER BY id`, values);

async function creditByAdmin() {
  const [admin, account] = [await theAdmin(service.api), await anAccount(service.api)];
  const body = { account_id: account.id, amount: 100, currency: 'USD', type: 'credit' };
  const { id } = (await admin.api.post('/v1/transactions', body)).body;
  return { admin, account, id };
}

/** Deletions of what is not sealed, also by a session that does not find the chain, or finds another one. */
const deletionsFrom = (table: string): readonly string[] => [
  `DELETE FROM ${table}`,
  `SET LOCAL search_path = ''; DELETE FROM public.${table}`,
  `CREATE TEMP TABLE audit_log AS TABLE ${table}; DELETE FROM ${table}`,
];

describe('The audit trail', () => {
  it('names who logged in, from where and in which session', async () => {
    const user = await aUser(service.api);
    const headers = { 'user-agent': 'a browser', 'x-request-id': 'login-1' };
    await service.api.post('/v1/auth/login', { email: user.email, password: PASSWORD }, { headers });
    expect(await entries("request_id = 'login-1'")).toMatchObject([
      {
        actor_id: user.id,
        actor_role: 'user',
        session_id: expect.stringMatching(/^ses_/),
        action: 'login',
        object_id: user.id,
        account_id: null,
        outcome: 'succeeded',
        user_agent: 'a browser',
        ip: expect.stringMatching(/127\.0\.0\.1|::1/),
      },
    ]);
  });

  it('records failed logins without an actor, and names the object only if the email is known', async () => {
    const user = await aUser(service.api);
    const attempt = (email: string, requestId: string) =>
      service.api.post(
        '/v1/auth/login',
        { email, password: 'not this password' },
        { headers: { 'x-request-id': requestId } },
      );
    await attempt(user.email, 'wrong-password');
    await attempt(someEmail(), 'unknown-email');
    const failed = { actor_id: null, session_id: null, action: 'login', outcome: 'failed', details: {} };
    expect(await entries("request_id = 'wrong-password'")).toMatchObject([{ ...failed, object_id: user.id }]);
    expect(await entries("request_id = 'unknown-email'")).toMatchObject([{ ...failed, object_id: null }]);
  });

  it('contains no password, token or email', async () => {
    const user = await aUser(service.api);
    const text = JSON.stringify(await entries('true'));
    for (const secret of [PASSWORD, 'not this password', user.token, user.refreshToken, user.email])
      expect(text).not.toContain(secret);
  });

  it('records what an operator does with what an account owns beside the account', async () => {
    const { admin, account, id } = await creditByAdmin();
    const recorded = {
      action: 'transaction.create',
      object_id: id,
      account_id: account.id,
      actor_id: admin.id,
    };
    const beside = await service.sql('SELECT * FROM account_audit_entries WHERE account_id = $1', [
      account.id,
    ]);
    expect(beside).toMatchObject([recorded]);
    const receipts = 'SELECT id, digest FROM account_audit_receipts WHERE account_id = $1';
    expect(await service.sql(receipts, [account.id])).toMatchObject([
      { id: (beside[0] as any).id, digest: (beside[0] as any).digest },
    ]);
    const listed = await admin.api.get(`/v1/audit-log?object_id=${id}`);
    expect(listed.body.data).toMatchObject([{ ...recorded, sequence: null }]);
    await service.runDueTasks();
    expect(await service.sql('SELECT FROM account_audit_entries')).toEqual([]);
    expect(await service.sql(receipts, [account.id])).toHaveLength(1);
    const sealed = await admin.api.get(`/v1/audit-log/${(beside[0] as any).id}`);
    expect(sealed.body).toMatchObject({ ...recorded, sequence: expect.any(Number) });
  });

  it.each([
    'UPDATE audit_log SET reason = NULL',
    'DELETE FROM audit_log',
    'TRUNCATE audit_log',
    'DELETE FROM audit_log_head',
    'UPDATE audit_log_unsealed SET reason = NULL',
    ...deletionsFrom('audit_log_unsealed'),
    'TRUNCATE audit_log_unsealed',
    'UPDATE audit_log_receipts SET digest = NULL',
    'DELETE FROM audit_log_receipts',
    'TRUNCATE audit_log_receipts',
    'UPDATE account_audit_entries SET reason = NULL',
    // On a worker of Citus the receipt shows them.
    ...(isOnCitus ? [] : deletionsFrom('account_audit_entries')),
    'TRUNCATE account_audit_entries',
    'UPDATE account_audit_receipts SET digest = NULL',
    'DELETE FROM account_audit_receipts',
    'TRUNCATE account_audit_receipts',
    `UPDATE audit_log_changes SET changes = '[]'`,
    "UPDATE audit_log_changes SET salt = NULL, changes = NULL, id = 'aud_0'",
    'DELETE FROM audit_log_changes',
    'TRUNCATE audit_log_changes',
  ])('is append-only: %s', async (sql) => {
    const user = await aUser(service.api); // an entry that is not sealed
    await creditByAdmin();
    const email = someEmail();
    await user.api.post('/v1/auth/email', { current_password: PASSWORD, email });
    await expect(service.sql(sql)).rejects.toThrow('append-only');
  });
});
