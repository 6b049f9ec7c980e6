import { MAX_MINOR_UNITS } from '../../../src/kernel/money';
import { Account } from '../../../src/modules/accounts/domain/account';

const noon = new Date('2026-03-01T12:00:00.000Z');

type Balance = Pick<Account, 'posted' | 'held' | 'pendingIn'>;

/** An account with the balance that a history of postings leaves. */
function anAccount(steps: (account: Account) => void = () => undefined): Account {
  const account = Account.create(
    { email: 'books@example.com', name: 'Lovelace Ltd', type: 'business' },
    noon,
  );
  steps(account);
  return account;
}

function receive(account: Account, amount: number): void {
  account.hold('in', amount);
  account.post('in', amount);
}

function balanceOf({ posted, held, pendingIn }: Account): Balance {
  return { posted, held, pendingIn };
}

describe('the balance of an account', () => {
  it('expects incoming money without counting it as available', () => {
    const account = anAccount((its) => its.hold('in', 100));
    expect(balanceOf(account)).toEqual({ posted: 0, held: 0, pendingIn: 100 });
    expect(account.available).toBe(0);
  });

  it('counts incoming money once it is posted', () => {
    const account = anAccount((its) => receive(its, 100));
    expect(balanceOf(account)).toEqual({ posted: 100, held: 0, pendingIn: 0 });
    expect(account.available).toBe(100);
  });

  it('holds outgoing money until it is posted', () => {
    const account = anAccount((its) => receive(its, 100));
    account.hold('out', 60);
    expect(balanceOf(account)).toEqual({ posted: 100, held: 60, pendingIn: 0 });
    expect(account.available).toBe(40);
    account.post('out', 60);
    expect(balanceOf(account)).toEqual({ posted: 40, held: 0, pendingIn: 0 });
  });

  it.each(['in', 'out'] as const)('is as before when money that moves %s is released', (direction) => {
    const account = anAccount((its) => receive(its, 100));
    account.hold('out', 10);
    account.hold('in', 5);
    const before = balanceOf(account);
    account.hold(direction, 20);
    account.release(direction, 20);
    expect(balanceOf(account)).toEqual(before);
  });

  it('rejects more than is available, counting held money, and names the amounts', () => {
    const account = anAccount((its) => receive(its, 100));
    account.hold('out', 60);
    account.hold('in', 1000);
    const before = balanceOf(account);
    expect(() => account.hold('out', 41)).toThrow(
      expect.objectContaining({ code: 'insufficient_funds', message: expect.stringMatching(/41.*40.*60/) }),
    );
    expect(balanceOf(account)).toEqual(before);
    account.hold('out', 40);
    expect(account.held).toBe(100);
  });

  it('rejects money that could take posted and expected money together beyond the largest balance', () => {
    const account = anAccount((its) => receive(its, MAX_MINOR_UNITS - 10));
    account.hold('in', 4);
    expect(() => account.hold('in', 7)).toThrow(expect.objectContaining({ code: 'invalid_request' }));
    expect(() => account.hold('in', MAX_MINOR_UNITS)).toThrow(
      expect.objectContaining({ code: 'invalid_request' }),
    );
    account.hold('in', 6);
    expect(account.pendingIn).toBe(10);
  });
});
