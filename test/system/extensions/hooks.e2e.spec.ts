import { Module } from '@nestjs/common';
import { newId } from '../../../src/kernel/ids';
import {
  AccountWrites,
  PaymentRequestListeners,
  PaymentRequestsModule,
  register,
  TransactionHooks,
  TransactionsModule,
} from '../../../src';
import { anAccount, anOwner, created, Owner } from '../../support/people';
import { aPaymentRequest, aTransaction } from '../../support/request-bodies';
import { startTestService, TestService } from '../../support/service';
import { Mandate, mandates, MandatesModule, MandatesTable } from './mandates';

function sign(tx: AccountWrites, table: MandatesTable, accountId: string, reference: string): void {
  const { id, at } = tx.issueId('mand');
  tx.add(table, Mandate.create({ accountId, id, reference }, at));
}

/** Adds a mandate to every credit and to every payment request that is created. */
@Module({
  imports: [MandatesModule, TransactionsModule, PaymentRequestsModule],
  providers: [
    register(TransactionHooks, [MandatesTable], (table) => ({
      name: 'mandates',
      after: (tx, _transition, { type, id, accountId, reference }, now) => {
        if (type !== 'credit') return;
        sign(tx, table, reference === 'foreign' ? newId('acc', now) : accountId, id);
      },
    })),
    register(PaymentRequestListeners, [MandatesTable], (table) => ({
      name: 'mandates',
      created: (tx, { request: { accountId, id } }) => sign(tx, table, accountId, id),
    })),
  ],
})
class SigningModule {}

describe('A hook', () => {
  let service: TestService;
  let owner: Owner;

  beforeAll(async () => {
    service = await startTestService({}, undefined, [mandates, { module: SigningModule }]);
  });
  afterAll(() => service.stop());
  beforeEach(async () => {
    owner = await anOwner(service.api);
  });

  const credit = ({ api, accountId }: Owner, members: object = {}) =>
    api.post('/v1/transactions', aTransaction(accountId, { type: 'credit', amount: 100, ...members }));
  const eventsOf = async ({ api }: Owner): Promise<{ type: string; object_id: string }[]> =>
    (await api.get('/v1/events?order=asc&limit=100')).body.data;

  it('issues an id under the account and records the events after those of the transaction', async () => {
    const before = (await eventsOf(owner)).length;
    const { body } = await credit(owner);
    const [mandate] = (await owner.api.get(`/v1/mandates?reference=${body.id}`)).body.data;
    expect((await eventsOf(owner)).slice(before)).toMatchObject([
      { type: 'transaction.succeeded', object_id: body.id },
      { type: 'mandate.created', object_id: mandate.id, data: { object: mandate } },
    ]);
  });

  it('does the same when a payment request is created', async () => {
    const { id } = await created(owner.api, '/v1/payments', aPaymentRequest(owner.accountId));
    const { body } = await owner.api.get(`/v1/mandates?reference=${id}`);
    expect(body.data).toHaveLength(1);
    expect((await eventsOf(owner)).map(({ type }) => type).slice(-2)).toEqual([
      'payment_request.created',
      'mandate.created',
    ]);
  });

  it('adds nothing under another account, and nothing of the transaction is committed then', async () => {
    expect((await credit(owner, { reference: 'foreign' })).body.error).toBe('internal_error');
    expect((await owner.api.get('/v1/transactions')).body.data).toEqual([]);
    expect((await owner.api.get('/v1/mandates')).body.data).toEqual([]);
  });

  it('adds nothing for a dry run', async () => {
    expect((await credit(owner, { dry_run: true })).status).toBe(200);
    expect((await owner.api.get('/v1/mandates')).body.data).toEqual([]);
  });

  it('keeps the ids and the events of each account in order while tasks share database transactions', async () => {
    const owners = await Promise.all(Array.from({ length: 4 }, () => anAccount(service.api)));
    const replies = await Promise.all(Array.from({ length: 64 }, (_, index) => credit(owners[index % 4]!)));
    expect(replies.filter(({ status }) => status === 201)).toHaveLength(64);
    for (const one of owners) {
      const all = await eventsOf(one);
      const pairs = all.filter(({ type }) => ['transaction.succeeded', 'mandate.created'].includes(type));
      expect(pairs.map(({ type }) => type)).toEqual(
        Array.from({ length: 16 }, () => ['transaction.succeeded', 'mandate.created']).flat(),
      );
      const ids = pairs.map(({ object_id: id }) => id.split('_')[1]!);
      expect(ids).toEqual(ids.toSorted());
    }
    const committed = await service.sql(
      'SELECT DISTINCT xmin::text FROM mandates WHERE account_id = ANY ($1)',
      [owners.map(({ accountId }) => accountId)],
    );
    expect(committed.length).toBeLessThan(64);
  });
});
