import {
  Account,
  AccountReader,
  AccountStore,
  ClosingHooks,
  PaymentRequestStore,
  Transaction,
  Tx,
} from '../../src';
import { Account as AccountEntity } from '../../src/modules/accounts/domain/account';

/**
 * The compiler checks these functions, and nothing calls them: each line with an assignment is an error that must be
 * there, and the others must compile.
 */
export const assignments = [
  (store: AccountStore, tx: Tx) =>
    store.update(tx, 'acc_1', async (account) => {
      account.hold('out', 5);
      // @ts-expect-error -- balances change by methods only
      account.posted = 5;
    }),
  async (reader: AccountReader) => {
    const account = await reader.find('acc_1');
    // @ts-expect-error -- as above
    account!.held = 0;
  },
  (store: AccountStore, ...[caller, resource, operation]: Parameters<AccountStore['create']>) =>
    store.create(caller, resource, operation, async (_tx, account) => {
      account.release('in', 5);
      // @ts-expect-error -- as above
      account.pendingIn = 5;
      return { id: 'txn_1', accountId: account.id };
    }),
  (closing: ClosingHooks) =>
    closing.register({
      name: 'test',
      cancelPending: async (_tx, account) => {
        // @ts-expect-error -- as above
        account.status = 'active';
      },
    }),
  (store: PaymentRequestStore, tx: Tx) =>
    store.update(tx, { accountId: 'acc_1', id: 'pay_1', splits: null }, new Date(), ({ request, payee }) => {
      request.cancel(new Date());
      // @ts-expect-error -- a status changes by transitions only
      request.status = 'succeeded';
      // @ts-expect-error -- balances change by methods only
      payee.posted = 5;
    }),
  (transaction: Transaction) => {
    // @ts-expect-error -- a status changes by transitions only
    transaction.status = 'succeeded';
  },
];

describe('An entity in an extension', () => {
  it('has its methods, and no member that can be assigned', () => {
    const account: Account = AccountEntity.create(
      { email: 'ada@example.com', name: 'Ada', type: 'individual' },
      new Date(),
    );
    account.hold('in', 5);
    expect(account.pendingIn).toBe(5);
  });
});
