import { DAY_MS } from '../../../src/kernel/clock';
import { WebhookEndpoint } from '../../../src/modules/webhooks/domain/webhook-endpoint';
import { AttemptResult } from '../../../src/modules/webhooks/domain/webhook-sender';

const start = new Date('2026-01-31T09:30:00Z');
const at = (ms: number): Date => new Date(start.getTime() + ms);
const success: AttemptResult = { error: null, responseStatus: 200, responseBody: '', durationMs: 1 };
const failure: AttemptResult = { error: 'timeout', responseStatus: null, responseBody: null, durationMs: 1 };
const gone: AttemptResult = { error: 'bad_status', responseStatus: 410, responseBody: '', durationMs: 1 };

const anEndpoint = (eventTypes: string[] | null = null) =>
  WebhookEndpoint.create({ accountId: 'acc_1', url: 'https://example.com/', eventTypes }, () => 'x', start);

describe('A webhook endpoint', () => {
  it('takes the types that it names, or all', () => {
    expect([
      anEndpoint().isSubscribedTo('a.b'),
      anEndpoint(['a.b']).isSubscribedTo('a.b'),
      anEndpoint(['a.c']).isSubscribedTo('a.b'),
    ]).toEqual([true, true, false]);
  });

  it('is paused as a whole when all attempts fail, and not when one succeeds', () => {
    const endpoint = anEndpoint();
    endpoint.recordAttempts([failure, success, failure], start);
    expect(endpoint).toMatchObject({ failures: 0, failingSince: null, pausedUntil: null });
    endpoint.recordAttempts([failure, failure], start);
    expect(endpoint).toMatchObject({ failures: 1, failingSince: start });
    endpoint.release(at(1), start);
    expect(endpoint.nextDueAt!.getTime()).toBeGreaterThanOrEqual(at(5_000).getTime());
    endpoint.recordAttempts([success], at(6_000));
    endpoint.release(at(6_000), at(6_000));
    expect(endpoint).toMatchObject({ failures: 0, pausedUntil: null, nextDueAt: at(6_000) });
  });

  it('is disabled once every attempt of three days has failed, and its owner is told', () => {
    const endpoint = anEndpoint();
    endpoint.recordAttempts([failure], start);
    endpoint.recordAttempts([failure], at(3 * DAY_MS - 1));
    expect(endpoint.isEnabled).toBe(true);
    endpoint.recordAttempts([failure], at(3 * DAY_MS));
    expect(endpoint).toMatchObject({ disabledReason: 'failing', noticeDueAt: at(3 * DAY_MS) });
  });

  it('is disabled by 410, whatever the other responses are', () => {
    const endpoint = anEndpoint();
    endpoint.recordAttempts([success, gone], start);
    expect(endpoint).toMatchObject({ disabledReason: 'gone', noticeDueAt: start });
  });

  it('is not told of again when it was disabled on request', () => {
    const endpoint = anEndpoint();
    endpoint.change({ enabled: false }, start);
    expect(endpoint).toMatchObject({ disabledReason: 'requested', noticeDueAt: null });
    endpoint.recordAttempts([gone], start);
    expect(endpoint.disabledReason).toBe('requested');
  });

  it('starts anew when it is enabled', () => {
    const endpoint = anEndpoint();
    endpoint.recordAttempts([failure], start);
    endpoint.recordAttempts([failure], at(3 * DAY_MS));
    endpoint.change({ enabled: true }, at(4 * DAY_MS));
    expect(endpoint).toMatchObject({ isEnabled: true, failures: 0, failingSince: null, noticeDueAt: null });
    endpoint.recordAttempts([failure], at(4 * DAY_MS));
    expect(endpoint.isEnabled).toBe(true);
  });

  it('is due for one process at a time', () => {
    const endpoint = anEndpoint();
    endpoint.makeDue(start);
    expect(endpoint.isDue(start)).toBe(true);
    endpoint.lease(at(60_000));
    expect([endpoint.isDue(at(59_999)), endpoint.isDue(at(60_000))]).toEqual([false, true]);
    expect(endpoint.isLeasedUntil(at(60_000))).toBe(true);
  });
});
