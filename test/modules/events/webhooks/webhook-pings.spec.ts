import { AccountStore } from '../../../../src/modules/accounts';
import {
  WebhookAttempts,
  withoutResponse,
} from '../../../../src/modules/events/webhooks/webhook-attempts.service';
import { WebhookEndpoints } from '../../../../src/modules/events/webhooks/webhook-endpoints.service';
import { WebhookPings } from '../../../../src/modules/events/webhooks/webhook-pings.service';
import { WebhookEndpoint } from '../../../../src/modules/events/webhooks/webhook-endpoint';
import { fakeTimers } from '../../../support/fake-timers';

const NOW = new Date('2026-11-23T12:00:00Z');

describe('Tests of webhook endpoints', () => {
  /** The accounts to whose endpoints a test was sent. Its attempt ends when the test says so. */
  let sent: string[];
  let end: () => void;
  let networks: Map<string, string | null>;
  let pings: WebhookPings;

  beforeEach(() => {
    fakeTimers('setTimeout', 'clearTimeout');
    [sent, networks] = [[], new Map()];
    const endpoints: Pick<WebhookEndpoints, 'get'> = {
      get: async (_caller, accountId) => {
        const signUpNetwork = networks.get(accountId)!;
        const terms = {
          accountId,
          url: 'https://example.com/',
          eventTypes: null,
          apiVersion: '2026-11-20',
          signUpNetwork,
        };
        return WebhookEndpoint.create(terms, () => '', NOW);
      },
    };
    const attempts: Pick<WebhookAttempts, 'attempt'> = {
      attempt: ({ accountId }) => {
        sent.push(accountId);
        return new Promise((resolve) => (end = () => resolve(withoutResponse('timeout'))));
      },
    };
    const accounts: Pick<AccountStore, 'change'> = {
      change: async (caller, { items, id }, work) => {
        const item = await items.get(caller, id);
        await work({} as never, {} as never, item, NOW, new Map());
        return item;
      },
    };
    const types = { get: () => ({ render: () => ({}) }) };
    const limit = { use: async () => null };
    const audit = { recordByOperator: () => undefined };
    const versions = { newest: { name: '2026-11-20' } };
    const renderer = { renderIn: () => ({}) };
    const parts = [accounts, endpoints, attempts, types, versions, renderer, limit, audit];
    pings = new WebhookPings(...(parts as unknown as ConstructorParameters<typeof WebhookPings>));
  });
  afterEach(() => jest.useRealTimers());

  const settle = () => new Promise(setImmediate);

  /** Tests an endpoint of an account. @returns its result or the code of its error, once it has one */
  function test(accountId: string, network: string | null): { result?: string } {
    networks.set(accountId, network);
    const outcome: { result?: string } = {};
    pings.ping({} as never, accountId).then(
      () => (outcome.result = 'sent'),
      (error: { code: string }) => (outcome.result = error.code),
    );
    return outcome;
  }

  it('are sent at once while many accounts of a few networks test endpoints that do not respond', async () => {
    for (let index = 0; index < 700; index += 1) test(`acc_${index % 100}`, `192.0.${index % 5}.0/24`);
    await settle();
    test('acc_stranger', '198.51.100.0/24');
    test('acc_unknown', null);
    await settle();
    expect(sent.slice(-2)).toEqual(['acc_stranger', 'acc_unknown']);
  });

  it('wait for a place of their account for five seconds at most', async () => {
    const [, , third, fourth] = Array.from({ length: 4 }, () => test('acc_one', '192.0.2.0/24'));
    await settle();
    expect(sent).toHaveLength(2);
    end();
    await settle();
    expect(sent).toHaveLength(3);
    jest.advanceTimersByTime(5_000);
    await settle();
    expect([third, fourth]).toEqual([{}, { result: 'unavailable' }]);
  });
});
