import { DAY_MS } from '../../../src/kernel/clock';
import { MAX_MINOR_UNITS } from '../../../src/kernel/money';
import { sumOf, Transfer, TransferPart, TransferTerms } from '../../../src/modules/transfers/transfer';

const noon = new Date('2026-01-31T12:00:00.000Z');
const later = new Date('2026-01-31T12:00:05.000Z');
const after = (ms: number): Date => new Date(noon.getTime() + ms);

const part = (accountId: string, amount: number, reference: string | null = null): TransferPart => ({
  accountId,
  name: `name of ${accountId}`,
  amount,
  reference,
});

function sidesOf(terms: Partial<TransferTerms> = {}, approvalId: string | null = null): Transfer[] {
  const from = { id: 'acc_1', name: 'the giver', currency: 'EUR' };
  const rest = { reference: 'rent', metadata: { a: 1 }, expiresAt: null, reversalOf: null } as const;
  const all = { id: 'trf_1', from, parts: [part('acc_2', 100, 'rent')], capture: 'now', ...rest } as const;
  return Transfer.create({ ...all, ...terms }, approvalId, noon);
}

const aPending = (terms: Partial<TransferTerms> = {}): Transfer =>
  sidesOf({ capture: 'later', ...terms })[0]!;
const eventsOf = (transfer: Transfer): string[] => transfer.takeEvents().map(({ type }) => type);
const failsWith = (code: string) => expect.objectContaining({ code });

describe('The sides of a transfer', () => {
  it('sum to zero, and show each account its own', () => {
    const parts = [part('acc_2', 100, 'first'), part('acc_3', 50)];
    const [out, ...received] = sidesOf({ parts, sourceTransactionId: 'txn_1' });
    const shared = {
      id: 'trf_1',
      currency: 'EUR',
      status: 'succeeded',
      fromAccountId: 'acc_1',
      fromName: 'the giver',
      sourceTransactionId: 'txn_1',
      reversalOf: null,
      releasedAmount: 0,
      reversedAmount: 0,
      createdAt: noon,
      updatedAt: noon,
    };
    expect(out).toMatchObject({
      ...shared,
      accountId: 'acc_1',
      direction: 'out',
      amount: 150,
      parts,
      counterparty: null,
      reference: 'rent',
      metadata: { a: 1 },
    });
    expect(out!.receiverIds).toEqual(['acc_2', 'acc_3']);
    expect(received).toHaveLength(2);
    for (const [index, side] of received.entries()) {
      const own = parts[index]!;
      expect(side).toMatchObject({
        ...shared,
        accountId: own.accountId,
        direction: 'in',
        amount: own.amount,
        parts: [own],
        counterparty: 'the giver',
        reference: own.reference,
        metadata: {},
      });
    }
  });

  it('name the other one where there is one', () => {
    expect(sidesOf().map(({ counterparty }) => counterparty)).toEqual(['name of acc_2', 'the giver']);
    expect(sidesOf().map(({ sourceTransactionId }) => sourceTransactionId)).toEqual([null, null]);
  });

  it('tell that they were created or have succeeded', () => {
    expect(sidesOf().map(eventsOf)).toEqual([['transfer.succeeded'], ['transfer.succeeded']]);
    expect(eventsOf(aPending())).toEqual(['transfer.created']);
    const [waiting] = sidesOf({}, 'apr_1');
    expect(eventsOf(waiting!)).toEqual(['transfer.created']);
    expect(waiting).toMatchObject({ status: 'pending', approvalId: 'apr_1', approvedAt: null });
  });

  it('add up to no more than the largest amount', () => {
    expect(sumOf([{ amount: 1 }, { amount: 2 }])).toBe(3);
    const tooMuch = () => sumOf([{ amount: MAX_MINOR_UNITS }, { amount: 1 }]);
    expect(tooMuch).toThrow(failsWith('invalid_request'));
    expect(tooMuch).toThrow(/^The amount would exceed/);
  });
});

describe('The expiry of a transfer', () => {
  it.each([
    ['now', noon],
    ['in the past', after(-1)],
    ['in more than a year', after(366 * DAY_MS + 1)],
  ])('is not %s', (_, expiresAt) => {
    expect(() => aPending({ expiresAt })).toThrow(failsWith('invalid_request'));
  });

  it.each([after(1), after(366 * DAY_MS)])('may be at %s', (expiresAt) => {
    const pending = aPending({ expiresAt });
    expect(pending.expiresAt).toEqual(expiresAt);
    expect(pending.isDue(new Date(expiresAt.getTime() - 1))).toBe(false);
    expect(pending.isDue(expiresAt)).toBe(true);
  });

  it('is that of a pending one only', () => {
    expect(sidesOf({ expiresAt: after(-1) })[0]!.expiresAt).toBeNull();
    expect(aPending().isDue(after(DAY_MS))).toBe(false);
    const pending = aPending({ expiresAt: later });
    pending.apply('cancel', noon);
    expect(pending.isDue(later)).toBe(false);
  });
});

describe('A pending transfer', () => {
  it.each([
    ['capture', 'succeeded', 'transfer.captured'],
    ['cancel', 'canceled', 'transfer.canceled'],
    ['expire', 'expired', 'transfer.expired'],
  ] as const)('ends once by "%s"', (transition, status, event) => {
    const pending = aPending();
    pending.takeEvents();
    pending.apply(transition, later);
    expect(pending).toMatchObject({ status, updatedAt: later });
    expect(eventsOf(pending)).toEqual([event]);
    expect(() => pending.apply('capture', later)).toThrow(failsWith('conflict'));
    expect(() => pending.apply('cancel', later)).toThrow(failsWith('not_cancellable'));
  });

  it.each([
    ['all', null, null],
    ['its amount', 100, null],
    ['a part', 1, null],
    ['more', 101, 'invalid_request'],
  ])('can be captured: %s', (_, amount, code) => {
    const check = () => aPending().assertCapturable(amount, later);
    if (code === null) expect(check).not.toThrow();
    else expect(check).toThrow(failsWith(code));
  });

  it('is captured as a whole where it has several parts', () => {
    const pending = aPending({ parts: [part('acc_2', 100), part('acc_3', 50)] });
    for (const all of [150, null]) expect(() => pending.assertCapturable(all, later)).not.toThrow();
    expect(() => pending.assertCapturable(149, later)).toThrow(failsWith('invalid_request'));
  });

  it('is not captured once it is due, or has ended', () => {
    const due = aPending({ expiresAt: later });
    expect(() => due.assertCapturable(null, after(4_999))).not.toThrow();
    expect(() => due.assertCapturable(null, later)).toThrow(failsWith('conflict'));
    expect(() => sidesOf()[0]!.assertCapturable(null, later)).toThrow(failsWith('conflict'));
  });

  it('releases what is not captured', () => {
    const pending = aPending();
    pending.lower(30);
    expect(pending).toMatchObject({ amount: 30, releasedAmount: 70, parts: [part('acc_2', 30, 'rent')] });
  });

  it('knows whether it was captured so before', () => {
    const pending = aPending();
    expect(pending.isCaptured(null)).toBe(false);
    pending.apply('capture', later);
    expect([null, 100, 99].map((amount) => pending.isCaptured(amount))).toEqual([true, true, false]);
    expect(sidesOf()[0]!.isCaptured(null)).toBe(false);
    const captured = aPending();
    captured.lower(30);
    captured.apply('capture', later);
    expect([null, 100, 30].map((amount) => captured.isCaptured(amount))).toEqual([false, false, true]);
  });

  it('waits for its approval, and is approved once', () => {
    const [waiting] = sidesOf({ capture: 'later', expiresAt: later }, 'apr_1') as [Transfer];
    expect(waiting.awaitsApproval).toBe(true);
    expect(() => waiting.assertCapturable(null, noon)).toThrow(failsWith('conflict'));
    expect(() => waiting.approve(later)).toThrow(failsWith('conflict')); // it is due
    waiting.approve(after(1));
    expect(waiting).toMatchObject({ awaitsApproval: false, approvedAt: after(1), updatedAt: after(1) });
    expect(() => waiting.approve(after(2))).toThrow(failsWith('conflict'));
    expect(() => waiting.assertCapturable(null, after(2))).not.toThrow();
    expect(aPending().awaitsApproval).toBe(false);
    expect(() => aPending().approve(noon)).toThrow(failsWith('conflict'));
    const [canceled] = sidesOf({}, 'apr_1') as [Transfer];
    canceled.apply('cancel', later);
    expect(canceled.awaitsApproval).toBe(false);
  });
});

describe('A reversal', () => {
  it('sends back no more than was received', () => {
    const received = sidesOf()[1]!;
    received.takeEvents();
    received.reverse(60, later);
    expect(received).toMatchObject({ reversedAmount: 60, updatedAt: later });
    expect(eventsOf(received)).toEqual(['transfer.reversed']);
    expect(() => received.reverse(41, later)).toThrow(failsWith('invalid_request'));
    received.reverse(40, later);
    expect(received.reversedAmount).toBe(100);
    expect(() => received.reverse(1, later)).toThrow(failsWith('invalid_request'));
  });

  it('needs a transfer that has succeeded and is none itself', () => {
    expect(() => aPending().reverse(1, later)).toThrow(failsWith('conflict'));
    expect(() => sidesOf({ reversalOf: 'trf_0' })[1]!.reverse(1, later)).toThrow(failsWith('conflict'));
  });

  it.each([
    [0, 0, 0],
    [1, 0, 0], // a third of one minor unit is rounded down
    [3, 0, 1],
    [299, 0, 99],
    [300, 0, 100],
    [150, 50, 0],
    [150, 20, 30],
    [150, 70, 0], // more was sent back before
    [300, 70, 30],
  ])(
    'of a part of 100 of 300 is due for %i that are refunded and %i sent back: %i',
    (refunded, sent, due) => {
      const received = sidesOf()[1]!;
      if (sent > 0) received.reverse(sent, later);
      expect(received.dueBack(refunded, 300)).toBe(due);
    },
  );

  it('is exact for the largest amounts', () => {
    const [, received] = sidesOf({ parts: [part('acc_2', MAX_MINOR_UNITS)] }) as [Transfer, Transfer];
    expect(received.dueBack(MAX_MINOR_UNITS - 1, MAX_MINOR_UNITS)).toBe(MAX_MINOR_UNITS - 1);
  });
});
