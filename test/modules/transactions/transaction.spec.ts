import { InitialState } from '../../../src/modules/processors';
import { Transaction, TransactionType } from '../../../src/modules/transactions/domain/transaction';

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
    sourceTransactionId: null,
  };
  const initialState: InitialState =
    type === 'payment' ? { status: 'pending', endedBy: { by: 'operator' } } : { status: 'succeeded' };
  return Transaction.create({ ...fields, type }, initialState, noon);
}

describe('A transaction', () => {
  it('can be canceled once while it is pending', () => {
    const transaction = aTransaction();
    transaction.apply('cancel', later);
    expect(transaction).toMatchObject({ status: 'canceled', createdAt: noon, updatedAt: later });
    expect(() => transaction.apply('cancel', later)).toThrow(
      expect.objectContaining({ code: 'not_cancellable' }),
    );
    expect(transaction.updatedAt).toEqual(later);
  });

  it.each(['credit', 'refund'] as const)(
    'of type %s cannot be canceled after it succeeded, and does not change',
    (type) => {
      const transaction = aTransaction(type);
      const before = { ...transaction };
      expect(() => transaction.apply('cancel', later)).toThrow(
        expect.objectContaining({ code: 'not_cancellable' }),
      );
      expect({ ...transaction }).toEqual(before);
    },
  );

  it('says that the sandbox let it fail when it is created as failed', () => {
    const { id, accountId, currency, metadata } = aTransaction();
    const fields = {
      id,
      accountId,
      amount: 1250,
      currency,
      reference: null,
      metadata,
      sourceTransactionId: null,
    };
    const failed = Transaction.create({ ...fields, type: 'credit' }, { status: 'failed' }, noon);
    expect(failed.failureReason).toMatch(/sandbox_outcome/);
    expect(aTransaction('credit').failureReason).toBeNull();
  });

  it('keeps members that an annotation does not name', () => {
    const transaction = aTransaction();
    transaction.annotate({ reference: 'invoice-1' }, later);
    expect(transaction).toMatchObject({ reference: 'invoice-1', metadata: { a: 1 }, updatedAt: later });
    transaction.annotate({ metadata: { b: 2 } }, later);
    expect(transaction).toMatchObject({ reference: 'invoice-1', metadata: { a: 1, b: 2 } });
    transaction.annotate({ reference: null, metadata: null }, later);
    expect(transaction).toMatchObject({ reference: null, metadata: {} });
  });

  it('keeps its updated_at when the clock steps back', () => {
    const transaction = aTransaction();
    transaction.annotate({ reference: 'a' }, earlier);
    transaction.annotate({ reference: 'b' }, earlier);
    transaction.apply('cancel', earlier);
    expect(transaction.updatedAt).toEqual(new Date(noon.getTime() + 3));
  });

  it('is not changed by an annotation beyond the limits', () => {
    const transaction = aTransaction();
    const tooMuch = { note: 'x'.repeat(9000) };
    expect(() => transaction.annotate({ metadata: tooMuch }, later)).toThrow(
      expect.objectContaining({ code: 'invalid_request' }),
    );
    expect(transaction).toMatchObject({ metadata: { a: 1 }, updatedAt: noon });
  });
});
