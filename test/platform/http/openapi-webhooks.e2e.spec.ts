import { Contract, coreContract } from '../../support/contract';
import { startTestService, TestService } from '../../support/service';

interface Payload {
  readonly id: string;
  readonly type: string;
  readonly account_id: string | null;
  readonly object_id: string;
  readonly sequence: number;
  readonly data: { readonly object: Readonly<Record<string, unknown>> };
}

interface Webhook {
  readonly post: { readonly requestBody: { readonly content: { 'application/json': { example: Payload } } } };
}

/** The statuses of resources right after their events. */
const statuses: Readonly<Record<string, string>> = {
  'account.created': 'active',
  'account.updated': 'active',
  'account.activated': 'active',
  'account.suspended': 'suspended',
  'account.made_pending': 'pending',
  'account.closed': 'closed',
  'adjustment.created': 'pending',
  'adjustment.posted': 'posted',
  'adjustment.rejected': 'rejected',
  'adjustment.expired': 'expired',
  'approval.created': 'pending',
  'approval.approved': 'approved',
  'approval.rejected': 'rejected',
  'approval.expired': 'expired',
  'payment_request.created': 'pending',
  'payment_request.updated': 'pending',
  'payment_request.succeeded': 'succeeded',
  'payment_request.failed': 'failed',
  'payment_request.canceled': 'canceled',
  'subscription.created': 'active',
  'subscription.updated': 'active',
  'subscription.canceled': 'canceled',
  'transaction.created': 'pending',
  'transaction.updated': 'pending',
  'transfer.canceled': 'canceled',
  'transfer.captured': 'succeeded',
  'transfer.created': 'pending',
  'transfer.expired': 'expired',
  'transfer.reversed': 'succeeded',
  'transfer.succeeded': 'succeeded',
  'transaction.succeeded': 'succeeded',
  'transaction.failed': 'failed',
  'transaction.canceled': 'canceled',
  'unapplied_payment.created': 'received',
  'unapplied_payment.updated': 'received',
  'unapplied_payment.returned': 'returned',
  'unapplied_payment.needs_attention': 'needs_attention',
  'user.created': 'active',
  'user.updated': 'active',
  'user.deleted': 'active',
  'webhook_endpoint.ping': 'enabled',
};

const withoutStatus = ['api_key.created', 'api_key.revoked'];

describe('The webhooks of the OpenAPI document', () => {
  let service: TestService;
  let contract: Contract;
  let examples: ReadonlyMap<string, Payload>;

  beforeAll(async () => {
    service = await startTestService();
    contract = await coreContract(service.url);
    const { webhooks } = (await (await fetch(`${service.url}/openapi.json`)).json()) as {
      webhooks: Record<string, Webhook>;
    };
    examples = new Map(
      Object.entries(webhooks).map(([type, { post }]) => [
        type,
        post.requestBody.content['application/json'].example,
      ]),
    );
  });
  afterAll(() => service.stop());

  it('have examples that are as their schemas say', () => {
    const faults = [...examples].map(([type, example]) => [type, contract.webhookMismatch(type, example)]);
    expect(faults).toEqual([...examples.keys()].map((type) => [type, null]));
  });

  it('have schemas that reject the example of another type', () => {
    const example = examples.get('transaction.failed');
    expect(contract.webhookMismatch('transaction.succeeded', example)).toContain(
      '/type must be equal to one',
    );
    const withSecret = { ...example, data: { object: { ...example?.data.object, secret: 'x' } } };
    expect(contract.webhookMismatch('transaction.failed', withSecret)).toContain('additional properties');
  });

  it('have schemas of which the contract checks a single event against that of its type', () => {
    const { id, ...event } = examples.get('transaction.failed')!;
    expect(contract.mismatch('GET', `/v1/events/${id}`, { status: 200, body: event })).toBe(
      "GET /v1/events/{event_id} 200 does not match the documentation: data must have required property 'id'",
    );
    expect(contract.mismatch('GET', `/v1/events/${id}`, { status: 200, body: { ...event, id } })).toBeNull();
  });

  it('have examples of their type, with the status that follows', () => {
    expect([...examples].map(([type, example]) => [type, example.type])).toEqual(
      [...examples.keys()].map((type) => [type, type]),
    );
    const shown = [...examples].map(([type, { data }]) => [type, data.object['status']]);
    expect(Object.fromEntries(shown)).toEqual({
      ...statuses,
      ...Object.fromEntries(withoutStatus.map((type) => [type, undefined])),
    });
  });

  it('have examples whose ids belong together', () => {
    for (const [type, { id, object_id, account_id, data }] of examples) {
      const { object } = data;
      const owner = type.startsWith('account.') ? object['id'] : object['account_id'];
      expect([type, id]).toEqual([type, expect.stringMatching(/^evt_/)]);
      expect([type, object_id]).toEqual([type, object['id']]);
      expect([type, account_id]).toEqual([type, account_id === null ? null : owner]);
    }
  });

  it('have examples without an account where only operators see the events', () => {
    const resources = [...examples]
      .filter(([, { account_id }]) => account_id === null)
      .map(([type]) => type.split('.')[0]);
    expect([...new Set(resources)].toSorted()).toEqual([
      'adjustment',
      'approval',
      'unapplied_payment',
      'user',
    ]);
  });

  it('have examples with what only an event of their type has', () => {
    const objectOf = (type: string): Payload['data']['object'] => examples.get(type)!.data.object;
    expect(objectOf('transaction.failed')).toHaveProperty('failure_reason');
    expect(objectOf('transaction.succeeded')).not.toHaveProperty('failure_reason');
    expect(objectOf('payment_request.succeeded')).toHaveProperty('transaction_id');
    expect(objectOf('payment_request.failed')).not.toHaveProperty('transaction_id');
    expect(objectOf('approval.created')).toMatchObject({ decided_by: null, rejection_reason: null });
    expect(objectOf('subscription.canceled')).toMatchObject({ next_payment_at: null });
    expect(
      ['transaction.created', 'transaction.succeeded'].map((type) => examples.get(type)!.sequence),
    ).toEqual([1, 2]);
  });
});
