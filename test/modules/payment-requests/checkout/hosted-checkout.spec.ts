import { HostedCheckout } from '../../../../src/modules/payment-requests/checkout/hosted-checkout';
import { MINUTE_MS } from '../../../../src/kernel/clock';

const noon = new Date('2026-01-31T12:00:00.000Z');
const after = (minutes: number): Date => new Date(noon.getTime() + minutes * MINUTE_MS);
const request = { accountId: 'acc_1', id: 'pay_1', expiresAt: after(10_000), splits: null };

const open = (): HostedCheckout => HostedCheckout.open(request, 'Lovelace Ltd', noon);

describe('A hosted checkout', () => {
  it.each([
    [10, 32],
    [45, 45],
    [600, 60],
  ])('of a request that expires in %d minutes lasts %d minutes', (minutes, lifetime) => {
    const checkout = HostedCheckout.open({ ...request, expiresAt: after(minutes) }, 'Lovelace Ltd', noon);
    expect(checkout).toMatchObject({ attempt: 1, expiresAt: after(lifetime), dueAt: after(lifetime + 2) });
  });

  it('is usable after its expiry only when the processor knows it', () => {
    const checkout = open();
    expect([checkout.isUsable(after(59)), checkout.isUsable(after(60))]).toEqual([true, false]);
    checkout.assignReference('cs_1', noon);
    expect(checkout.isUsable(after(60))).toBe(true);
    checkout.end(after(60));
    expect(checkout.isUsable(after(60))).toBe(false);
  });

  it('is reported by its attempt and, once known, by its reference', () => {
    const checkout = open();
    expect(checkout.isReportedBy({ id: 'cs_1', attempt: 1 })).toBe(true);
    expect(checkout.isReportedBy({ id: 'cs_1', attempt: 2 })).toBe(false);
    checkout.assignReference('cs_1', noon);
    expect(checkout.isReportedBy({ id: 'cs_2', attempt: 1 })).toBe(false);
    checkout.end(noon);
    expect(checkout.isReportedBy({ id: 'cs_1', attempt: 1 })).toBe(false);
  });

  it('is reopened as the next attempt', () => {
    const checkout = open();
    checkout.assignReference('cs_1', noon);
    checkout.end(after(5));
    checkout.reopen(request, 'Lovelace & Co', after(6));
    expect(checkout).toMatchObject({
      attempt: 2,
      processorReference: null,
      status: 'open',
      title: 'Lovelace & Co',
      expiresAt: after(66),
    });
  });

  it('cannot be reopened while its payment is being processed', () => {
    const checkout = open();
    checkout.process(noon);
    expect(checkout.dueAt).toEqual(after(360));
    expect(() => checkout.reopen(request, 'Lovelace Ltd', after(1))).toThrow(
      expect.objectContaining({ code: 'conflict' }),
    );
  });

  it('is due for its status check from the time of that, and never once it has ended', () => {
    const checkout = open();
    expect([checkout.isDue(after(61)), checkout.isDue(after(62))]).toEqual([false, true]);
    checkout.end(after(62));
    expect(checkout.isDue(after(10_000))).toBe(false);
  });

  it('waits for its reference until it has expired, and then ends', () => {
    const checkout = open();
    checkout.awaitReference(after(61));
    expect(checkout).toMatchObject({ status: 'open', dueAt: after(62) });
    checkout.awaitReference(after(62));
    expect(checkout).toMatchObject({ status: 'ended', dueAt: null });
  });
});

describe('A change of a hosted checkout', () => {
  it('has the time of the change', () => {
    const checkout = open();
    expect(checkout).toMatchObject({ status: 'open', createdAt: noon, updatedAt: noon, isLive: true });
    checkout.assignReference('cs_1', after(1));
    expect(checkout).toMatchObject({ processorReference: 'cs_1', updatedAt: after(1) });
    checkout.process(after(2));
    expect(checkout).toMatchObject({ status: 'processing', dueAt: after(362), updatedAt: after(2) });
    checkout.scheduleStatusCheck(after(9), after(3));
    expect(checkout).toMatchObject({ dueAt: after(9), updatedAt: after(3), isLive: true });
    checkout.end(after(4));
    expect(checkout).toMatchObject({ status: 'ended', dueAt: null, updatedAt: after(4), isLive: false });
    checkout.reopen(request, 'Lovelace Ltd', after(5));
    expect(checkout).toMatchObject({ status: 'open', dueAt: after(67), updatedAt: after(5) });
  });
});
