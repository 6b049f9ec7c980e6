import { LockedAccount } from '../../../src/modules/accounts';
import { Ledger } from '../../../src/modules/ledger';
import { TransactionProcessingService } from '../../../src/modules/transactions/application/transaction-processing.service';
import { Transaction } from '../../../src/modules/transactions/domain/transaction';
import { TransactionHooks } from '../../../src/modules/transactions/domain/transaction-hooks';
import { TransactionsRepository } from '../../../src/modules/transactions/domain/transactions.repository';
import { Tx } from '../../../src/platform/database/tx';

const noon = new Date('2026-01-31T12:00:00.000Z');
const terms = { accountId: 'acc_1', currency: 'USD', reference: null, metadata: {} };

describe('A refund of a payment', () => {
  let payment: Transaction;
  let saved: Transaction[];
  /** What happened to the money of the account. */
  let moves: string[];
  let processing: TransactionProcessingService;

  beforeEach(() => {
    payment = Transaction.create(
      { ...terms, id: 'txn_1', type: 'payment', amount: 1250, sourceTransactionId: null },
      { status: 'succeeded' },
      noon,
    );
    saved = [];
    moves = [];
    const nothing = (): void => undefined;
    const move = (name: string) => (): void => void moves.push(name);
    const repository: Partial<TransactionsRepository> = {
      add: nothing,
      save: (_, transaction) => void saved.push(transaction),
      lock: async () => payment,
    };
    const ledger: Partial<Ledger> = {
      subledger: () => ({ hold: move('hold'), release: move('release'), post: move('post') }),
    };
    processing = new TransactionProcessingService(
      repository as TransactionsRepository,
      new TransactionHooks(),
      ledger as Ledger,
    );
  });

  const refund = async (status: 'succeeded' | 'failed', amount: number): Promise<void> => {
    const refunding = {
      ...terms,
      id: 'txn_2',
      type: 'refund',
      amount,
      sourceTransactionId: 'txn_1',
    } as const;
    const transaction = Transaction.create(refunding, { status }, noon);
    await processing.create({} as Tx, {} as LockedAccount, transaction, payment, noon);
  };

  it('that succeeds at its creation keeps its part of the payment', async () => {
    await refund('succeeded', 1000);
    expect(payment.refunded).toBe(1000);
    expect(saved).toEqual([payment]);
    await expect(refund('succeeded', 251)).rejects.toMatchObject({ code: 'invalid_request' });
  });

  it('that fails at its creation gives its part of the payment back', async () => {
    await refund('failed', 1250);
    expect(payment.refunded).toBe(0);
    expect(saved).toEqual([payment]);
    await refund('succeeded', 1250);
    expect(payment.refunded).toBe(1250);
  });

  it.each([
    ['succeeded', ['hold', 'post']],
    ['failed', ['hold', 'release']],
  ] as const)('that is %s at its creation moves money: %j', async (status, expected) => {
    await refund(status, 10);
    expect(moves).toEqual(expected);
  });

  it.each([
    ['settle', 'post', 1000],
    ['fail', 'release', 0],
    ['cancel', 'release', 0],
  ] as const)(
    'that is pending and then ends with %s: %s, and %d are refunded',
    async (end, move, refunded) => {
      const pending = { status: 'pending', endedBy: { by: 'operator' } } as const;
      const refunding = {
        ...terms,
        id: 'txn_2',
        type: 'refund',
        amount: 1000,
        sourceTransactionId: 'txn_1',
      } as const;
      const transaction = Transaction.create(refunding, pending, noon);
      const account = { timeOf: (now: Date) => now } as LockedAccount;
      await processing.create({} as Tx, account, transaction, payment, noon);
      expect([moves, payment.refunded]).toEqual([['hold'], 1000]);
      await processing.apply({} as Tx, end, account, transaction, noon);
      expect([moves, payment.refunded]).toEqual([['hold', move], refunded]);
      expect(saved).toContain(transaction);
    },
  );
});
