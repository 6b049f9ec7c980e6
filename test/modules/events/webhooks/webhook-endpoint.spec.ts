import { DAY_MS, MINUTE_MS } from '../../../../src/kernel/clock';
import { DisabledReason, toNoticedReason } from '../../../../src/modules/events/webhooks/disabled-endpoints';
import {
  describeAction,
  describeDisabling,
  WebhookEndpoint,
} from '../../../../src/modules/events/webhooks/webhook-endpoint';
import { AttemptResult } from '../../../../src/modules/events/webhooks/webhook-sender';

const start = new Date('2026-01-31T09:30:00Z');
const at = (ms: number): Date => new Date(start.getTime() + ms);
const success: AttemptResult = { error: null, responseStatus: 200, responseBody: '', durationMs: 1 };
const failure: AttemptResult = { error: 'timeout', responseStatus: null, responseBody: null, durationMs: 1 };
const gone: AttemptResult = { error: 'bad_status', responseStatus: 410, responseBody: '', durationMs: 1 };

const anEndpoint = (eventTypes: string[] | null = null) =>
  WebhookEndpoint.create(
    {
      accountId: 'acc_1',
      url: 'https://example.com/',
      eventTypes,
      apiVersion: '2026-11-20',
      signUpNetwork: null,
    },
    () => 'x',
    start,
  );

describe('What the audit log shows of a webhook endpoint', () => {
  it('is what can be changed', () => {
    const endpoint = anEndpoint(['a.b']);
    const enabled = {
      url: 'https://example.com/',
      event_types: ['a.b'],
      version: '2026-11-20',
      status: 'enabled',
    };
    expect(endpoint.audited()).toEqual(enabled);
    endpoint.change({ enabled: false }, start);
    expect(endpoint.audited()).toEqual({ ...enabled, status: 'disabled' });
  });

  it('is why it was disabled, and what was done to it', () => {
    const endpoint = anEndpoint();
    endpoint.change({ enabled: false }, start);
    const { id: objectId, disabledReason: reason } = endpoint;
    expect(describeDisabling(endpoint)).toEqual({
      action: 'webhook_endpoint.disable',
      objectId,
      accountId: 'acc_1',
      details: { reason },
      changes: [{ member: 'status', from: 'enabled', to: 'disabled' }],
    });
    expect(describeAction('test', endpoint)).toEqual({
      action: 'webhook_endpoint.test',
      objectId,
      accountId: 'acc_1',
    });
  });
});

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

  it('is fast after a success, slow for ten minutes after a slow attempt, also a successful one, and new with a new URL', () => {
    const endpoint = anEndpoint();
    const slow = { ...success, durationMs: 2_000 };
    expect(endpoint.pace(start)).toBe('new');
    endpoint.recordAttempts([{ ...success, durationMs: 1_999 }], start);
    expect(endpoint.pace(start)).toBe('fast');
    endpoint.recordAttempts([success, slow, success], start);
    expect([endpoint.pace(at(10 * MINUTE_MS - 1)), endpoint.pace(at(10 * MINUTE_MS))]).toEqual([
      'slow',
      'fast',
    ]);
    endpoint.recordAttempts([success], at(1));
    expect(endpoint.pace(at(2))).toBe('slow');
    endpoint.recordAttempts([{ ...failure, durationMs: 15_000 }], at(3));
    expect(endpoint.pace(at(20 * MINUTE_MS))).toBe('failing');
    endpoint.change({ url: 'https://example.org/' }, at(4));
    expect(endpoint.pace(at(5))).toBe('new');
  });

  it('is still new after a failure, and has nothing to wait for once it is disabled', () => {
    const endpoint = anEndpoint();
    endpoint.recordAttempts([failure], start);
    endpoint.change({ enabled: true }, at(1));
    expect(endpoint.pace(at(1))).toBe('new');
    endpoint.recordAttempts([gone], at(2));
    expect(endpoint.pace(at(2))).toBe('fast');
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

  it('is due when something is due and no process has it', () => {
    const endpoint = anEndpoint();
    expect(endpoint).toMatchObject({ id: expect.stringMatching(/^whk_/), nextDueAt: null });
    expect(endpoint.isDue(start)).toBe(false);
    endpoint.release(at(5), start);
    expect([endpoint.isDue(at(4)), endpoint.isDue(at(5))]).toEqual([false, true]);
    expect(endpoint.isLeasedUntil(start)).toBe(false);
    endpoint.lease(at(9));
    expect([endpoint.isLeasedUntil(at(8)), endpoint.isLeasedUntil(at(9))]).toEqual([false, true]);
    endpoint.release(null, at(5));
    expect(endpoint).toMatchObject({ leasedUntil: null, nextDueAt: null });
    endpoint.change({ enabled: true }, at(6));
    expect(endpoint.nextDueAt).toBeNull();
  });

  it('has nothing due without pending deliveries, also in a pause and once it is disabled', () => {
    const endpoint = anEndpoint();
    endpoint.recordAttempts([failure], start);
    endpoint.release(null, at(1));
    expect(endpoint.nextDueAt).toBeNull();
    endpoint.disable('requested', at(2));
    endpoint.release(null, at(3));
    expect(endpoint.nextDueAt).toBeNull();
  });

  it('fails what is pending at once when it is disabled, and waits for the end of a pause otherwise', () => {
    const endpoint = anEndpoint();
    endpoint.recordAttempts([failure], start);
    const { pausedUntil } = endpoint;
    endpoint.release(at(1), start);
    expect(endpoint.nextDueAt).toEqual(pausedUntil);
    endpoint.release(at(DAY_MS), start);
    expect(endpoint.nextDueAt).toEqual(at(DAY_MS));
    endpoint.change({ enabled: true }, at(2));
    expect(endpoint.nextDueAt).toEqual(at(2));
    endpoint.disable('requested', at(3));
    endpoint.release(at(DAY_MS), at(4));
    expect(endpoint.nextDueAt).toEqual(at(4));
  });

  it('ends a pause when something is made due', () => {
    const endpoint = anEndpoint();
    endpoint.recordAttempts([failure], start);
    endpoint.makeDue(at(1));
    expect(endpoint).toMatchObject({ pausedUntil: null, nextDueAt: at(1) });
  });

  it('is not affected by no attempts', () => {
    const endpoint = anEndpoint();
    endpoint.recordAttempts([], start);
    expect(endpoint).toMatchObject({ failures: 0, failingSince: null });
  });

  it.each<[DisabledReason | null, DisabledReason | null]>([
    ['requested', null],
    ['account_closed', null],
    ['gone', 'gone'],
    ['failing', 'failing'],
    ['api_key_ended', 'api_key_ended'],
    [null, null],
  ])('tells the owner of the reason %s: %s', (reason, noticed) => {
    expect(toNoticedReason(reason)).toBe(noticed);
    if (reason === null) return;
    const endpoint = anEndpoint();
    endpoint.disable(reason, at(1));
    expect(endpoint).toMatchObject({
      disabledAt: at(1),
      disabledReason: reason,
      nextDueAt: at(1),
      updatedAt: at(1),
      noticeDueAt: noticed === null ? null : at(1),
    });
    expect(endpoint.isSubscribedTo('a.b')).toBe(false);
    expect(() => endpoint.assertEnabled()).toThrow(expect.objectContaining({ code: 'conflict' }));
    endpoint.change({ enabled: true }, at(2));
    expect(endpoint).toMatchObject({ disabledAt: null, disabledReason: null, noticeDueAt: null });
    endpoint.assertEnabled();
  });

  it('changes only what is asked for', () => {
    const endpoint = anEndpoint(['a.b']);
    endpoint.change({ eventTypes: null }, at(1));
    expect(endpoint).toMatchObject({ url: 'https://example.com/', eventTypes: null, updatedAt: at(1) });
    endpoint.change({ url: 'https://example.org/' }, at(2));
    expect(endpoint).toMatchObject({ url: 'https://example.org/', eventTypes: null, updatedAt: at(2) });
    endpoint.change({ apiVersion: '2026-11-25' }, at(3));
    expect(endpoint).toMatchObject({ url: 'https://example.org/', apiVersion: '2026-11-25' });
  });

  it('is tried again at once with another URL, and with nothing else that changes', () => {
    const endpoint = anEndpoint();
    endpoint.recordAttempts([failure], start);
    endpoint.release(at(DAY_MS), start);
    endpoint.change({ eventTypes: ['a.b'] }, at(1));
    expect(endpoint).toMatchObject({ failures: 1, nextDueAt: at(DAY_MS) });
    endpoint.change({ url: 'https://example.org/' }, at(2));
    expect(endpoint).toMatchObject({ failures: 0, nextDueAt: at(2) });
    endpoint.change({ url: 'https://example.com/' }, at(3));
    expect(endpoint.nextDueAt).toEqual(at(2)); // it keeps its turn
  });

  it('ends with the API key that created it, unless a person has changed it', () => {
    const terms = {
      accountId: 'acc_1',
      url: 'https://example.com/',
      eventTypes: null,
      apiVersion: '2026-11-20',
      signUpNetwork: null,
    };
    const create = (expiresAt: Date | null) =>
      WebhookEndpoint.create(terms, () => 'x', start, { id: 'key_1', expiresAt });
    const endpoint = create(at(5));
    expect(endpoint.apiKeyId).toBe('key_1');
    expect([endpoint.hasExpiredKey(at(4)), endpoint.hasExpiredKey(at(5))]).toEqual([false, true]);
    expect(create(null).hasExpiredKey(at(5))).toBe(false);
    endpoint.detachApiKey();
    expect(endpoint).toMatchObject({ apiKeyId: null, apiKeyExpiresAt: null });
    expect(anEndpoint()).toMatchObject({ apiKeyId: null, apiKeyExpiresAt: null });
  });

  it('signs with the secrets of the last day', () => {
    const endpoint = WebhookEndpoint.create(
      {
        accountId: 'acc_1',
        url: 'https://example.com/',
        eventTypes: null,
        apiVersion: '2026-11-20',
        signUpNetwork: null,
      },
      (id) => `first of ${id}`,
      start,
    );
    const first = `first of ${endpoint.id}`;
    expect(endpoint.secretExpiresAt).toBeNull();
    endpoint.rotateSecret('second', at(1));
    expect([endpoint.secretExpiresAt, endpoint.updatedAt]).toEqual([null, at(1)]);
    endpoint.expireSecret('unseen', at(2));
    expect([endpoint.secretExpiresAt, endpoint.updatedAt]).toEqual([at(DAY_MS + 2).toISOString(), at(2)]);
    endpoint.mapSecrets((secret) => `${secret}!`);
    expect(endpoint.secrets).toEqual([
      { encrypted: 'unseen!', unseen: true, expiresAt: null },
      { encrypted: 'second!', expiresAt: at(DAY_MS + 2).toISOString() },
      { encrypted: `${first}!`, expiresAt: at(DAY_MS + 1).toISOString() },
    ]);
  });
});
