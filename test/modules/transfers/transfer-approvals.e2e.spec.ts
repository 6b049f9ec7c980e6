import { LedgerVerification } from '../../../src/modules/ledger';
import { outcome } from '../../support/account-owned';
import { anAdminWhoSignedUp, anOperator, anOwner, created, Owner, Person } from '../../support/people';
import { startTestService, TestService } from '../../support/service';
import { contextOn } from '../ledger/context';

const PATH = '/v1/transfers';
const LIMIT = 1000;

describe('Where approvals are required, a transfer by an admin', () => {
  /** Shares the database, and requires no approvals. */
  let lax: TestService;
  let service: TestService;
  let admins: Person[];
  let platform: Person;
  let giver: Owner;
  let receiver: Owner;

  beforeAll(async () => {
    lax = await startTestService();
    const signedUp = [await anAdminWhoSignedUp(lax.api), await anAdminWhoSignedUp(lax.api)];
    service = await lax.replica({ REQUIRE_APPROVALS: 'true', ADJUSTMENT_APPROVAL_LIMIT: `${LIMIT}` });
    admins = signedUp.map((admin) => ({ ...admin, api: service.api.as(admin.token) }));
    platform = await anOperator(service.api, 'platform');
  });
  beforeEach(async () => {
    [giver, receiver] = await Promise.all([anOwner(service.api), anOwner(service.api)]);
    const credit = { account_id: giver.accountId, amount: 5000, currency: 'USD', type: 'credit' };
    await created(platform.api, '/v1/transactions', credit);
  });
  afterAll(async () => {
    const app = await contextOn(service);
    const { faults } = await app.get(LedgerVerification).run(() => undefined);
    await app.close();
    await service.stop();
    await lax.stop();
    expect(faults).toEqual([]);
  });

  const create = (amount: number, members: object = {}, by = admins[0]!): Promise<any> =>
    created(by.api, PATH, {
      from_account_id: giver.accountId,
      to_account_id: receiver.accountId,
      amount,
      currency: 'USD',
      ...members,
    });
  const balance = async ({ api }: Owner): Promise<number[]> => {
    const { posted, held } = (await api.get('/v1/account/balance')).body;
    return [posted, held];
  };
  const decide = (id: string, decision: string, body?: object) =>
    admins[1]!.api.post(`/v1/approvals/${id}/${decision}`, body);
  const statusOf = async ({ id }: { id: string }) => (await giver.api.get(`${PATH}/${id}`)).body.status;

  it('is pending above the limit until a second admin approves it', async () => {
    const transfer = await create(LIMIT + 1);
    expect(transfer).toMatchObject({ status: 'pending', approval_id: expect.stringMatching(/^apr_/) });
    expect([await balance(giver), await balance(receiver)]).toEqual([
      [5000, LIMIT + 1],
      [0, 0],
    ]);
    const capture = await platform.api.post(`${PATH}/${transfer.id}/capture`, {});
    expect(outcome(capture)).toBe('409 conflict');
    const approval = (await admins[1]!.api.get(`/v1/approvals/${transfer.approval_id}`)).body;
    expect(approval).toMatchObject({
      type: 'transfer',
      details: { amount: LIMIT + 1, to: [receiver.accountId] },
    });
    const own = await admins[0]!.api.post(`/v1/approvals/${transfer.approval_id}/approve`, undefined);
    expect(outcome(own)).toBe('403 forbidden');
    expect((await decide(transfer.approval_id, 'approve')).status).toBe(200);
    expect(await statusOf(transfer)).toBe('succeeded');
    expect([await balance(giver), await balance(receiver)]).toEqual([
      [5000 - LIMIT - 1, 0],
      [LIMIT + 1, 0],
    ]);
  });

  it('is canceled when the second admin rejects it', async () => {
    const transfer = await create(LIMIT + 1);
    expect((await decide(transfer.approval_id, 'reject', { reason: 'No.' })).status).toBe(200);
    expect(await statusOf(transfer)).toBe('canceled');
    expect(await balance(giver)).toEqual([5000, 0]);
  });

  it('is captured later once it is approved, if it was created so', async () => {
    const transfer = await create(LIMIT + 1, { capture: 'later' });
    await decide(transfer.approval_id, 'approve');
    expect(await statusOf(transfer)).toBe('pending');
    const capture = await giver.api.post(`${PATH}/${transfer.id}/capture`, { amount: 10 });
    expect(outcome(capture)).toBe('200 succeeded');
    expect(await balance(receiver)).toEqual([10, 0]);
  });

  it('counts toward the limit of the admin in the account and the day', async () => {
    expect((await create(LIMIT - 1)).status).toBe('succeeded');
    expect((await create(2)).status).toBe('pending');
    expect((await create(2, {}, platform)).status).toBe('succeeded');
  });

  it('is reversed by the account that received it above the limit, and not by an admin alone', async () => {
    const { id } = await create(LIMIT + 1, {}, platform);
    const reverse = ({ api }: Person) => api.post(`${PATH}/${id}/reversal`, {});
    expect(outcome(await reverse(admins[0]!))).toBe('409 conflict');
    expect(outcome(await reverse(receiver))).toBe('201 succeeded');
  });
});
