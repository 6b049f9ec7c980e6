import { LockedAccount } from '../../../src/modules/accounts';
import { Ledger } from '../../../src/modules/ledger';
import { Posting } from '../../../src/modules/ledger/ledger';
import { InitialState } from '../../../src/modules/processors';
import { TransactionProcessingService } from '../../../src/modules/transactions/application/transaction-processing.service';
import { described, Transaction } from '../../../src/modules/transactions/domain/transaction';
import { TransactionHooks } from '../../../src/modules/transactions/domain/transaction-hooks';
import { TransactionsRepository } from '../../../src/modules/transactions/domain/transactions.repository';
import { Tx } from '../../../src/platform/database/tx';

const noon = new Date('2026-01-31T12:00:00.000Z');
const terms = { accountId: 'acc_1', currency: 'USD', ...described({}) };

const tx = { readOnly: () => tx, writesUnder: () => tx } as unknown as Tx;
const account = {
  id: 'acc_1',
  currency: 'USD',
  timeOf: (now: Date) => now,
  issueId: (prefix: string, at: Date) => ({ id: `${prefix}_9`, at }),
} as LockedAccount;

describe('The processing', () => {
  let payment: Transaction;
  /** Whether it is there. */
  let isThere: boolean;
  let saved: Transaction[];
  /** What happened to the money of the account. */
  let moves: string[];
  let postings: Posting[];
  /** What hooks were asked and told. */
  let hooked: string[];
  let processing: TransactionProcessingService;

  beforeEach(() => {
    payment = Transaction.create(
      { ...terms, id: 'txn_1', type: 'payment', amount: 1250, sourceTransactionId: null },
      { status: 'succeeded' },
      noon,
    );
    [isThere, saved] = [true, []];
    [moves, postings, hooked] = [[], [], []];
    const nothing = (): void => undefined;
    const move = (name: string, posting: Posting): void => {
      moves.push(name);
      postings.push(posting);
    };
    const hooks = new TransactionHooks();
    hooks.register({
      name: 'rule',
      before: async (_, transition) => void hooked.push(`before ${transition}`),
      after: (_, transition) => void hooked.push(`after ${transition}`),
    });
    const repository: Partial<TransactionsRepository> = {
      add: nothing,
      save: (_, transaction) => void saved.push(transaction),
      lock: async () => (isThere ? payment : null),
    };
    const ledger: Partial<Ledger> = {
      subledger: () => ({
        hold: (_, posting) => move('hold', posting),
        release: (_, posting) => move('release', posting),
        post: (_tx, _account, posting) => move('post', posting),
      }),
    };
    processing = new TransactionProcessingService(
      repository as TransactionsRepository,
      hooks,
      ledger as Ledger,
    );
  });

  describe('of a refund of a payment', () => {
    const refund = async (status: 'succeeded' | 'failed', amount: number): Promise<void> => {
      const refunding = {
        ...terms,
        id: 'txn_2',
        type: 'refund',
        amount,
        sourceTransactionId: 'txn_1',
      } as const;
      const transaction = Transaction.create(refunding, { status }, noon);
      await processing.create(tx, account, transaction, payment, noon);
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
        await processing.create(tx, account, transaction, payment, noon);
        expect([moves, payment.refunded]).toEqual([['hold'], 1000]);
        await processing.apply(tx, end, account, transaction, noon);
        expect([moves, payment.refunded]).toEqual([['hold', move], refunded]);
        expect(saved).toContain(transaction);
      },
    );
  });

  describe('of money without a source', () => {
    const aCredit = (state: InitialState): Transaction =>
      Transaction.create(
        { ...terms, id: 'txn_2', type: 'credit', amount: 10, sourceTransactionId: null },
        state,
        noon,
      );
    const pending: InitialState = { status: 'pending', endedBy: { by: 'operator' } };

    it.each([
      ['succeeded', ['hold', 'post']],
      ['failed', ['hold', 'release']],
    ] as const)('moves it when it is %s at its creation: %j', async (status, expected) => {
      await processing.create(tx, account, aCredit({ status }), null, noon);
      expect([moves, saved]).toEqual([expected, []]);
      const posting = { transactionId: 'txn_2', direction: 'in', amount: 10 };
      expect(postings).toEqual([posting, posting]);
      expect(hooked).toEqual(['before create', 'after create']);
    });

    it('changes no other transaction when it is canceled', async () => {
      const credit = aCredit(pending);
      await processing.apply(tx, 'cancel', account, credit, noon);
      expect([moves, saved]).toEqual([['release'], [credit]]);
      expect(hooked).toEqual(['before cancel', 'after cancel']);
    });

    it.each<[InitialState, string, string | null, string[]]>([
      [{ status: 'succeeded' }, 'succeeded', null, ['post']],
      [{ status: 'failed' }, 'failed', expect.stringContaining('sandbox_outcome'), ['release']],
      [pending, 'pending', null, []],
    ])('goes on once it is approved (case %#)', async (state, status, failureReason, expected) => {
      const credit = aCredit(pending);
      credit.awaitApproval('apr_1');
      await processing.approve(tx, account, credit, state, noon);
      expect(credit).toMatchObject({ status, failureReason, approvedAt: noon });
      expect([moves, saved]).toEqual([expected, [credit]]);
    });

    it('records a payment that has been received, and finds its reference at the processor', async () => {
      const received = { amount: 7, reference: 'r', metadata: {}, paymentRequestId: 'pay_1' };
      const sent = { ...received, processorReference: 'pi_1' };
      const recorded = await processing.recordPayment(tx, account, sent, noon);
      expect(recorded).toMatchObject({
        ...sent,
        id: 'txn_9',
        accountId: 'acc_1',
        currency: 'USD',
        type: 'payment',
        status: 'succeeded',
        sourceTransactionId: null,
      });
      expect(moves).toEqual(['hold', 'post']);
      expect(await processing.processorReferenceOf(tx, 'acc_1', 'txn_1')).toBeNull();
      payment = recorded;
      expect(await processing.processorReferenceOf(tx, 'acc_1', 'txn_9')).toBe('pi_1');
      isThere = false;
      expect(await processing.processorReferenceOf(tx, 'acc_1', 'txn_8')).toBeNull();
    });
  });
});
