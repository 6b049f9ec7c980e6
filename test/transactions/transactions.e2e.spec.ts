import { anOwner, created, Owner } from '../support/people';
import { startTestService, TestService } from '../support/service';

describe('POST /v1/transactions (interface 4.4)', () => {
  let service: TestService;
  let owner: Owner;

  beforeAll(async () => {
    service = await startTestService();
    owner = await anOwner(service.api);
  });
  afterAll(() => service.stop());

  it('creates a pending payment', async () => {
    const { status, body } = await owner.api.post('/v1/transactions', {
      account_id: owner.accountId,
      amount: 1250,
      currency: 'USD',
      type: 'payment',
    });
    expect(status).toBe(201);
    expect(body).toEqual({
      id: expect.stringMatching(/^txn_/),
      account_id: owner.accountId,
      amount: 1250,
      currency: 'USD',
      type: 'payment',
      status: 'pending',
      reference: null,
      metadata: {},
      created_at: expect.any(String),
    });
  });

  it('lists it', async () => {
    const made = await created(owner.api, '/v1/transactions', {
      account_id: owner.accountId,
      amount: 1,
      currency: 'USD',
      type: 'credit',
    });
    const { body } = await owner.api.get('/v1/transactions?limit=1');
    expect(body.data[0].id).toBe(made.id);
    expect(body.has_more).toBe(true);
  });
});
