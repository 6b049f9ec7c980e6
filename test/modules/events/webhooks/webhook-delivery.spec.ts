import { WebhookDelivery } from '../../../../src/modules/events/webhooks/deliveries/webhook-delivery';
import { WebhookEndpoint } from '../../../../src/modules/events/webhooks/webhook-endpoint';
import { AttemptResult } from '../../../../src/modules/events/webhooks/webhook-sender';

const start = new Date('2026-01-31T09:30:00Z');
const at = (ms: number): Date => new Date(start.getTime() + ms);
const success: AttemptResult = { error: null, responseStatus: 200, responseBody: 'ok', durationMs: 7 };
const failure: AttemptResult = { error: 'timeout', responseStatus: null, responseBody: null, durationMs: 9 };

const aDelivery = (): WebhookDelivery =>
  WebhookDelivery.create(
    { accountId: 'acc_1', id: 'whk_1' } as WebhookEndpoint,
    { id: 'evt_1', type: 'transaction.created' },
    start,
  );

describe('A delivery of an event', () => {
  it('is due at once', () => {
    expect(aDelivery()).toEqual({
      accountId: 'acc_1',
      id: expect.stringMatching(/^whd_/),
      endpointId: 'whk_1',
      eventId: 'evt_1',
      eventType: 'transaction.created',
      status: 'pending',
      attempts: 0,
      nextAttemptAt: start,
      lastAttemptAt: null,
      error: null,
      responseStatus: null,
      responseBody: null,
      durationMs: null,
      createdAt: start,
    });
  });

  it('ends when it succeeds, also after a failure', () => {
    const delivery = aDelivery();
    delivery.record(failure, start);
    expect(delivery).toMatchObject({ ...failure, status: 'pending', attempts: 1, lastAttemptAt: start });
    expect(delivery.nextAttemptAt!.getTime()).toBeGreaterThanOrEqual(at(5_000).getTime());
    delivery.record(success, at(5_000));
    expect(delivery).toMatchObject({
      ...success,
      status: 'succeeded',
      attempts: 2,
      lastAttemptAt: at(5_000),
      nextAttemptAt: null,
    });
  });

  it('fails after its last attempt, and starts over when it is delivered again', () => {
    const delivery = aDelivery();
    for (let attempt = 1; attempt <= 10; attempt += 1) {
      expect(delivery.status).toBe('pending');
      delivery.record(failure, start);
    }
    expect(delivery).toMatchObject({ status: 'failed', attempts: 10, nextAttemptAt: null });
    delivery.redeliver(at(1));
    expect(delivery).toMatchObject({ status: 'pending', attempts: 0, nextAttemptAt: at(1) });
  });
});
