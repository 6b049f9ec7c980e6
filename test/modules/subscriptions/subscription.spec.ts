import fc from 'fast-check';
import {
  Interval,
  intervals,
  startOfPeriod,
  Subscription,
  subscriptionLifecycle,
} from '../../../src/modules/subscriptions/subscription';
import { rounds, SEED } from '../../support/rounds';

const anchor = new Date('2026-01-31T12:00:00.000Z');
const DAY_MS = 86_400_000;
const after = (days: number, ms = 0): Date => new Date(anchor.getTime() + days * DAY_MS + ms);

function aSubscription(interval: Interval = 'month'): Subscription {
  return Subscription.create(
    {
      id: 'sub_1',
      accountId: 'acc_1',
      amount: 1250,
      currency: 'USD',
      customerEmail: 'customer@example.com',
      interval,
      reference: null,
      metadata: {},
      returnUrl: null,
      cancelUrl: null,
      splits: null,
    },
    anchor,
  );
}

describe('A subscription', () => {
  it('has processed its first period when it is created', () => {
    expect(aSubscription()).toMatchObject({
      status: 'active',
      periods: 1,
      nextPaymentAt: new Date('2026-02-28T12:00:00.000Z'),
      createdAt: anchor,
      updatedAt: anchor,
    });
  });

  it('is due from the start of a period', () => {
    expect(aSubscription().periodsDue(after(28, -1), 100)).toBe(0);
    expect(aSubscription().periodsDue(after(28), 100)).toBe(1);
    expect(aSubscription().periodsDue(after(59, -1), 100)).toBe(1);
    expect(aSubscription().periodsDue(after(59), 100)).toBe(2);
  });

  it('counts due periods up to the limit', () => {
    const subscription = aSubscription('day');
    expect(subscription.periodsDue(after(250), 100)).toBe(100);
    subscription.advance(100, after(250));
    expect(subscription).toMatchObject({ periods: 101, nextPaymentAt: after(101), updatedAt: after(250) });
    expect(subscription.periodsDue(after(250), 1000)).toBe(150);
  });

  it(`processes every period once, at any times and in batches of any size (seed ${SEED})`, () => {
    const periodicTasks = fc.array(
      fc.record({
        wait: fc.integer({ min: 0, max: 900 * DAY_MS }),
        limit: fc.integer({ min: 1, max: 40 }),
      }),
      { maxLength: 30 },
    );
    fc.assert(
      fc.property(fc.constantFrom(...intervals), periodicTasks, (interval, all) => {
        const subscription = aSubscription(interval);
        let now = anchor;
        for (const { wait, limit } of all) {
          now = new Date(now.getTime() + wait);
          const before = subscription.periods;
          const due = subscription.periodsDue(now, limit);
          if (due > 0) subscription.advance(due, now);
          expect(due).toBeLessThanOrEqual(limit);
          expect(subscription.periods).toBe(before + due);
          if (due < limit) expect(subscription.nextPaymentAt! > now).toBe(true);
        }
        while (subscription.periodsDue(now, 100) > 0)
          subscription.advance(subscription.periodsDue(now, 100), now);
        const last = subscription.periods - 1;
        expect(startOfPeriod(anchor, interval, last) <= now).toBe(true);
        expect(startOfPeriod(anchor, interval, last + 1) > now).toBe(true);
      }),
      { seed: SEED, numRuns: rounds(200) },
    );
  });

  it('is not due after its cancellation, and can be canceled once', () => {
    const subscription = aSubscription();
    subscription.cancel(after(60));
    expect(subscription).toMatchObject({ status: 'canceled', nextPaymentAt: null, updatedAt: after(60) });
    expect(subscription.periodsDue(after(400), 100)).toBe(0);
    expect(() => subscription.cancel(after(61))).toThrow(
      expect.objectContaining({ code: 'not_cancellable' }) as Error,
    );
  });

  it('has an updated_at that never decreases', () => {
    const subscription = aSubscription();
    subscription.advance(1, after(40));
    subscription.cancel(after(30));
    expect(subscription.updatedAt).toEqual(after(40, 1));
  });
});

describe('The lifecycle of a subscription', () => {
  it('has exactly these states, initial states and transitions', () => {
    expect(subscriptionLifecycle.states).toEqual(['active', 'canceled']);
    expect(subscriptionLifecycle.initial).toEqual(['active']);
    expect(Object.keys(subscriptionLifecycle.transitions)).toEqual(['cancel']);
    expect(subscriptionLifecycle.transition('cancel', 'active')).toBe('canceled');
  });
});

describe('The events of a subscription', () => {
  it('say that it was created, that periods were billed, and that it was canceled', () => {
    const subscription = aSubscription();
    subscription.advance(1, after(28));
    subscription.cancel(after(29));
    expect(subscription.takeEvents()).toEqual(
      ['created', 'updated', 'canceled'].map((name) => ({
        type: `subscription.${name}`,
        accountId: 'acc_1',
      })),
    );
  });
});
