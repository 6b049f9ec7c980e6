import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { startCountinghouse, TestService, TestUser } from 'countinghouse/testing';
import { sampleItems } from './sample-items.module';

type Body = Record<string, unknown>;
type List = { data: Body[] };

describe('Sample items', () => {
  let service: TestService;
  let owner: TestUser;

  before(async () => {
    service = await startCountinghouse({ extensions: [sampleItems] });
    owner = await service.account();
  });
  after(() => service.stop());

  const create = () => service.create(owner.api, '/v1/sample-items', { account_id: owner.id });
  const statusOf = async (id: unknown) =>
    (await owner.api.get<Body>(`/v1/sample-items/${id}`)).body['status'];
  const eventsOf = async (id: unknown) => {
    const { body } = await owner.api.get<List>(`/v1/events?order=asc&object_id=${id}`);
    return body.data.map(({ type }) => type);
  };

  it('are created, listed and recorded as events', async () => {
    const { id } = await create();
    assert.equal(await statusOf(id), 'active');
    const { body } = await owner.api.get<List>('/v1/sample-items?limit=1');
    assert.deepEqual(
      body.data.map((item) => item['id']),
      [id],
    );
    assert.deepEqual(await eventsOf(id), ['sample_item.created']);
  });

  it('can be canceled once', async () => {
    const { id } = await create();
    assert.equal((await owner.api.delete<Body>(`/v1/sample-items/${id}`)).body['status'], 'canceled');
    assert.equal((await owner.api.delete<Body>(`/v1/sample-items/${id}`)).body['error'], 'not_cancellable');
    assert.deepEqual(await eventsOf(id), ['sample_item.created', 'sample_item.canceled']);
  });

  it('expire after a week', async () => {
    const { id } = await create();
    await service.clock.advance('8 days');
    owner = await service.logIn(owner.email);
    assert.equal(await statusOf(id), 'expired');
    assert.deepEqual(await eventsOf(id), ['sample_item.created', 'sample_item.expired']);
  });
});
