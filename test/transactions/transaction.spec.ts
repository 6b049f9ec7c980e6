import { Transaction, TransactionType } from '../../src/modules/transactions/domain/transaction';

const noon = new Date('2026-01-31T12:00:00.000Z');
const later = new Date('2026-01-31T12:00:05.000Z');
const earlier = new Date('2026-01-31T11:00:00.000Z');

function aTransaction(type: TransactionType = 'payment'): Transaction {
  const fields = {
    id: 'txn_1',
    accountId: 'acc_1',
    amount: 1250,
    currency: 'USD',
    reference: null,
    metadata: { a: 1 },
  };
  return Transaction.create({ ...fields, type }, noon);
}

describe('A transaction', () => {
  it.each([
    ['payment', 'pending'],
    ['credit', 'succeeded'],
    ['refund', 'succeeded'],
  ] as const)('%s is born %s', (type, status) => {
    expect(aTransaction(type)).toMatchObject({
      type,
      status,
      amount: 1250,
      currency: 'USD',
      createdAt: noon,
      updatedAt: noon,
    });
  });

  it('is canceled while it is pending, once', () => {
    const transaction = aTransaction();
    transaction.cancel(later);
    expect(transaction).toMatchObject({ status: 'canceled', createdAt: noon, updatedAt: later });
    expect(() => transaction.cancel(later)).toThrow(expect.objectContaining({ code: 'not_cancellable' }));
    expect(transaction.updatedAt).toEqual(later);
  });

  it.each(['credit', 'refund'] as const)(
    '%s is not canceled once it succeeded, and nothing of it changes',
    (type) => {
      const transaction = aTransaction(type);
      const before = { ...transaction };
      expect(() => transaction.cancel(later)).toThrow(expect.objectContaining({ code: 'not_cancellable' }));
      expect({ ...transaction }).toEqual(before);
    },
  );

  it('keeps what an annotation does not name', () => {
    const transaction = aTransaction();
    transaction.annotate({ reference: 'invoice-1' }, later);
    expect(transaction).toMatchObject({ reference: 'invoice-1', metadata: { a: 1 }, updatedAt: later });
    transaction.annotate({ metadata: { b: 2 } }, later);
    expect(transaction).toMatchObject({ reference: 'invoice-1', metadata: { a: 1, b: 2 } });
    transaction.annotate({ reference: null, metadata: null }, later);
    expect(transaction).toMatchObject({ reference: null, metadata: {} });
  });

  it('never goes back in time when the clock does', () => {
    const transaction = aTransaction();
    transaction.annotate({ reference: 'a' }, earlier);
    transaction.annotate({ reference: 'b' }, earlier);
    transaction.cancel(earlier);
    expect(transaction.updatedAt).toEqual(new Date(noon.getTime() + 3));
  });

  it('is unchanged by an annotation beyond the limits', () => {
    const transaction = aTransaction();
    const tooMuch = { note: 'x'.repeat(9000) };
    expect(() => transaction.annotate({ metadata: tooMuch }, later)).toThrow(
      expect.objectContaining({ code: 'invalid_request' }),
    );
    expect(transaction).toMatchObject({ metadata: { a: 1 }, updatedAt: noon });
  });
});
