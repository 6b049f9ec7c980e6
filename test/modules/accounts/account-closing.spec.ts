import { DomainError } from '../../../src/kernel/domain-error';
import { Account } from '../../../src/modules/accounts/domain/account';
import { ClosingHooks, ClosingHook } from '../../../src/modules/accounts/domain/account-hooks';
import { ReadTx, Tx } from '../../../src/platform/database/tx';

const noon = new Date('2026-03-01T12:00:00.000Z');
const later = new Date('2026-03-01T12:00:05.000Z');
const readTx = {} as ReadTx;
const tx = { readOnly: () => readTx } as Tx;

describe('Closing an account (interface 3.2)', () => {
  it('calls the veto of every member, then closes the account, then cancels pending items, in the order of registration', async () => {
    const calls: string[] = [];
    const account = anAccount();
    await closingWith(recording('transactions', calls), recording('payouts', calls)).run(tx, account, later);
    expect(calls).toEqual([
      'transactions: veto, active',
      'payouts: veto, active',
      'transactions: cancelPending, closed',
      'payouts: cancelPending, closed',
    ]);
    expect(account).toMatchObject({ status: 'closed', closedAt: later, updatedAt: later });
  });

  it('is rejected by the veto of any member, and changes nothing', async () => {
    const calls: string[] = [];
    const account = anAccount();
    const vetoing: ClosingHook = {
      ...recording('payouts', calls),
      veto: async () => {
        throw new DomainError('active_subscriptions', 'Cancel the subscriptions first.');
      },
    };
    await expect(
      closingWith(recording('transactions', calls), vetoing).run(tx, account, later),
    ).rejects.toMatchObject({ code: 'active_subscriptions' });
    expect(calls).toEqual(['transactions: veto, active']);
    expect(account).toMatchObject({ status: 'active', closedAt: null, updatedAt: noon });
  });

  it('calls only the phases that a member implements', async () => {
    const account = anAccount();
    await closingWith({ name: 'transactions' }).run(tx, account, later);
    expect(account.status).toBe('closed');
  });

  it('cancels nothing under an account that is already closed', async () => {
    const calls: string[] = [];
    const closing = closingWith(recording('transactions', calls));
    const account = anAccount();
    await closing.run(tx, account, noon);
    calls.length = 0;
    await expect(closing.run(tx, account, later)).rejects.toMatchObject({ code: 'conflict' });
    expect(calls).toEqual(['transactions: veto, closed']);
  });

  it('passes a read-only transaction and a frozen account to a veto, and writable ones to a cancellation', async () => {
    const account = anAccount();
    const veto = jest.fn(async (_: ReadTx, copy: Readonly<Account>) => {
      expect(() => Object.assign(copy, { name: 'changed' })).toThrow(TypeError);
    });
    const cancelPending = jest.fn(async () => undefined);
    await closingWith({ name: 'transactions', veto, cancelPending }).run(tx, account, later);
    expect(veto).toHaveBeenCalledWith(readTx, expect.objectContaining({ id: account.id, status: 'active' }));
    expect(cancelPending).toHaveBeenCalledWith(tx, account, later, new Map([[account.id, account]]));
  });
});

function closingWith(...members: ClosingHook[]): ClosingHooks {
  const closing = new ClosingHooks();
  for (const member of members) closing.register(member);
  closing.onApplicationBootstrap();
  return closing;
}

/** A member that records its calls and the status of the account at that time. */
function recording(name: string, calls: string[]): ClosingHook {
  return {
    name,
    veto: async (_, { status }) => void calls.push(`${name}: veto, ${status}`),
    cancelPending: async (_, { status }) => void calls.push(`${name}: cancelPending, ${status}`),
  };
}

function anAccount(): Account {
  return Account.create({ email: 'books@example.com', name: 'Lovelace Ltd', type: 'business' }, noon);
}
