import { HOUR_MS, MINUTE_MS } from '../../../src/kernel/clock';
import { InitialState } from '../../../src/modules/processors';
import {
  described,
  Transaction,
  TransactionType,
} from '../../../src/modules/transactions/domain/transaction';

const noon = new Date('2026-01-31T12:00:00.000Z');
const later = new Date('2026-01-31T12:00:05.000Z');
const earlier = new Date('2026-01-31T11:00:00.000Z');

function aTransaction(type: TransactionType = 'payment'): Transaction {
  const fields = {
    id: 'txn_1',
    accountId: 'acc_1',
    amount: 1250,
    currency: 'USD',
    ...described({ metadata: { a: 1 } }),
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
      ...described({ metadata }),
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
    expect(transaction.audited()).toMatchObject({ reference: 'invoice-1', metadata: { a: 1, b: 2 } });
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

const failsWith = (code: string) => expect.objectContaining({ code });
const after = (ms: number): Date => new Date(noon.getTime() + ms);
const byOperator: InitialState = { status: 'pending', endedBy: { by: 'operator' } };
const byProcessor: InitialState = { status: 'pending', endedBy: { by: 'processor' } };
const bySchedule: InitialState = {
  status: 'pending',
  endedBy: { by: 'schedule', settlesAt: later, outcome: 'failed' },
};

function created(type: TransactionType, state: InitialState, amount = 1250): Transaction {
  const terms = { id: 'txn_1', accountId: 'acc_1', currency: 'USD', ...described({ reference: 'r' }) };
  return Transaction.create({ ...terms, type, amount, sourceTransactionId: null }, state, noon);
}

const typesOf = (transaction: Transaction): string[] =>
  transaction.takeEvents().map(({ type, accountId }) => {
    expect(accountId).toBe('acc_1');
    return type;
  });

describe('A new transaction', () => {
  it.each<[string, InitialState, object]>([
    ['transaction.succeeded', { status: 'succeeded' }, { settlesAt: null, dueOutcome: null, sendAt: null }],
    ['transaction.failed', { status: 'failed' }, { settlesAt: null, dueOutcome: null, sendAt: null }],
    ['transaction.created', byOperator, { settlesAt: null, dueOutcome: null, sendAt: null }],
    ['transaction.created', byProcessor, { settlesAt: null, dueOutcome: null, sendAt: noon }],
    ['transaction.created', bySchedule, { settlesAt: later, dueOutcome: 'failed', sendAt: null }],
  ])('has one event, %s (case %#), and what ends it', (type, state, end) => {
    const transaction = created('refund', state);
    expect(transaction).toMatchObject({ status: state.status, refunded: 0, sentAt: null, ...end });
    expect(typesOf(transaction)).toEqual([type]);
  });

  it('moves money into the account, unless it is a refund', () => {
    const directions = (['payment', 'credit', 'refund'] as const).map(
      (type) => created(type, byOperator).direction,
    );
    expect(directions).toEqual(['in', 'in', 'out']);
  });
});

describe('A transaction that waits for an approval', () => {
  const waiting = (): Transaction => {
    const transaction = created('refund', byOperator);
    transaction.awaitApproval('apr_1');
    transaction.takeEvents();
    return transaction;
  };

  it('waits until it is approved or ends', () => {
    expect(created('refund', byOperator).awaitsApproval).toBe(false);
    const [approved, canceled] = [waiting(), waiting()];
    expect(approved.awaitsApproval).toBe(true);
    expect(() => approved.assertReportable()).toThrow(failsWith('conflict'));
    approved.approve(byOperator, later);
    canceled.apply('cancel', later);
    expect([approved.awaitsApproval, canceled.awaitsApproval]).toEqual([false, false]);
    for (const transaction of [approved, canceled])
      expect(() => transaction.approve(byOperator, later)).toThrow(failsWith('conflict'));
    approved.assertReportable();
  });

  it.each<[InitialState, object, string[]]>([
    [byProcessor, { sendAt: later, settlesAt: null, dueOutcome: null }, ['transaction.updated']],
    [bySchedule, { sendAt: null, settlesAt: later, dueOutcome: 'failed' }, ['transaction.updated']],
    [{ status: 'succeeded' }, { sendAt: null, settlesAt: null, dueOutcome: null }, []],
  ])('then goes on like a new one (case %#)', (state, end, events) => {
    const transaction = waiting();
    transaction.approve(state, later);
    expect(transaction).toMatchObject({ status: 'pending', approvedAt: later, updatedAt: later, ...end });
    expect(typesOf(transaction)).toEqual(events);
  });
});

describe('A refund that the processor executes', () => {
  it('is sent again after half its age, between a minute and six hours', () => {
    const delays = [0, MINUTE_MS, 10 * MINUTE_MS, 24 * HOUR_MS].map((age) => {
      const refund = created('refund', byProcessor);
      refund.beginAttempt(after(age));
      return refund.sendAt!.getTime() - noon.getTime() - age;
    });
    expect(delays).toEqual([MINUTE_MS, MINUTE_MS, 5 * MINUTE_MS, 6 * HOUR_MS]);
  });

  it('cannot be canceled or reported on once it is sent, and is ended by a report', () => {
    const refund = created('refund', byProcessor);
    refund.assertCan('cancel');
    refund.assertReportable();
    refund.beginAttempt(noon);
    refund.beginAttempt(later);
    expect(refund.sentAt).toEqual(noon);
    expect(() => refund.assertCan('cancel')).toThrow(failsWith('not_cancellable'));
    expect(() => refund.assertReportable()).toThrow(failsWith('conflict'));
    refund.assertCan('fail');
    refund.takeEvents();
    refund.applyReport({ reference: 're_1', failureReason: 'declined' });
    refund.apply('fail', later);
    expect(refund).toMatchObject({
      status: 'failed',
      processorReference: 're_1',
      failureReason: 'declined',
      sendAt: null,
    });
    expect(typesOf(refund)).toEqual(['transaction.failed']);
    refund.assertReportable();
  });
});

describe('The description of a new transaction', () => {
  it.each([
    [{}, { reference: null, metadata: {} }],
    [
      { reference: null, metadata: null },
      { reference: null, metadata: {} },
    ],
    [
      { reference: 'r', metadata: { a: 1 } },
      { reference: 'r', metadata: { a: 1 } },
    ],
  ])('%j becomes %j', (request, whole) => expect(described(request)).toMatchObject(whole));
});

describe('The reference of a transaction', () => {
  it('is kept as it was at first, also if there was none', () => {
    const [named, unnamed] = [created('credit', byOperator), aTransaction()];
    named.annotate({ reference: 'r' }, later);
    expect(named.firstReference).toBeNull();
    for (const transaction of [named, unnamed])
      for (const reference of ['a', 'b', null]) transaction.annotate({ reference }, later);
    expect([named.firstReference, unnamed.firstReference]).toEqual(['r', '']);
    expect(typesOf(named)).toEqual(['transaction.created', ...Array(4).fill('transaction.updated')]);
  });
});

describe('What is refunded of a payment', () => {
  it.each<[TransactionType, InitialState]>([
    ['credit', { status: 'succeeded' }],
    ['refund', { status: 'succeeded' }],
    ['payment', { status: 'failed' }],
    ['payment', byOperator],
  ])('is nothing of another transaction: %s, %j', (type, state) => {
    const source = created(type, state);
    expect(() => source.holdRefund(1)).toThrow(failsWith('invalid_request'));
    expect(source.refunded).toBe(0);
  });

  it('is at most its amount', () => {
    const payment = created('payment', { status: 'succeeded' });
    payment.holdRefund(1000);
    expect(() => payment.holdRefund(251)).toThrow(/left of the source transaction, 250 minor units/);
    payment.holdRefund(250);
    expect(payment.refunded).toBe(1250);
    payment.releaseRefund(1000);
    expect(payment.refunded).toBe(250);
  });
});
