import { DAY_MS } from '../../../../src/kernel/clock';
import {
  EndpointSecret,
  expiryOfSeen,
  newSecret,
  signingSecrets,
  withNewSecret,
} from '../../../../src/modules/events/webhooks/endpoint-secrets';

const now = new Date('2026-03-01T12:00:00.000Z');
const at = (ms: number): Date => new Date(now.getTime() + ms);
const first: readonly EndpointSecret[] = [{ encrypted: 'a', expiresAt: null }];

describe('The secrets of an endpoint', () => {
  it('are random', () => {
    expect(new Set(Array.from({ length: 100 }, newSecret)).size).toBe(100);
  });

  it('sign until a day after the next one was issued', () => {
    const secrets = withNewSecret(withNewSecret(first, { encrypted: 'b' }, now), { encrypted: 'c' }, at(5));
    expect(secrets).toEqual([
      { encrypted: 'c', expiresAt: null },
      { encrypted: 'b', expiresAt: at(DAY_MS + 5).toISOString() },
      { encrypted: 'a', expiresAt: at(DAY_MS).toISOString() },
    ]);
    const signing = [DAY_MS - 1, DAY_MS, DAY_MS + 5].map((ms) =>
      signingSecrets(secrets, at(ms)).map(({ encrypted }) => encrypted),
    );
    expect(signing).toEqual([['c', 'b', 'a'], ['c', 'b'], ['c']]);
  });

  it('are at most four at a time', () => {
    const rotate = (secrets: readonly EndpointSecret[], ms: number) =>
      withNewSecret(secrets, { encrypted: 'x' }, at(ms));
    const four = rotate(rotate(rotate(first, 1), 2), 3);
    expect(() => rotate(four, DAY_MS)).toThrow(expect.objectContaining({ code: 'conflict' }));
    expect(rotate(four, DAY_MS + 1)).toHaveLength(4);
  });

  it.each<[string, EndpointSecret[], string | null]>([
    [
      'the current one is known',
      [
        { encrypted: 'b', expiresAt: null },
        { encrypted: 'a', expiresAt: 'Z' },
      ],
      null,
    ],
    [
      'the last of those that are known expires',
      [
        { encrypted: 'd', expiresAt: null, unseen: true },
        { encrypted: 'c', expiresAt: '2026-03-04', unseen: true },
        { encrypted: 'b', expiresAt: '2026-03-02' },
        { encrypted: 'a', expiresAt: '2026-03-03' },
        { encrypted: 'z', expiresAt: '2026-03-01' },
      ],
      '2026-03-03',
    ],
    ['none is known', [{ encrypted: 'a', expiresAt: null, unseen: true }], null],
  ])('are of no use for the account when %s', (_, secrets, expiry) => {
    expect(expiryOfSeen(secrets)).toBe(expiry);
  });
});
