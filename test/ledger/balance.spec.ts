import { MAX_MINOR_UNITS } from '../../src/kernel/money';
import { available, Balance, reserve, settle, withdraw } from '../../src/modules/ledger/domain/balance';

const empty: Balance = { posted: 0, held: 0, pendingIn: 0 };

describe('the balance of an account', () => {
  it('expects incoming money without counting it as available', () => {
    const balance = reserve(empty, 'in', 100);
    expect(balance).toEqual({ posted: 0, held: 0, pendingIn: 100 });
    expect(available(balance)).toBe(0);
  });

  it('counts incoming money once it has settled', () => {
    expect(settle(reserve(empty, 'in', 100), 'in', 100)).toEqual({ posted: 100, held: 0, pendingIn: 0 });
  });

  it('holds outgoing money until it has settled', () => {
    const funded = { posted: 100, held: 0, pendingIn: 0 };
    const held = reserve(funded, 'out', 60);
    expect(held).toEqual({ posted: 100, held: 60, pendingIn: 0 });
    expect(available(held)).toBe(40);
    expect(settle(held, 'out', 60)).toEqual({ posted: 40, held: 0, pendingIn: 0 });
  });

  it.each(['in', 'out'] as const)('is as before when a movement %s is withdrawn', (direction) => {
    const before = { posted: 100, held: 10, pendingIn: 5 };
    expect(withdraw(reserve(before, direction, 20), direction, 20)).toEqual(before);
  });

  it('refuses more than is available, holds counted, and names the figures', () => {
    const balance = { posted: 100, held: 60, pendingIn: 1000 };
    expect(() => reserve(balance, 'out', 41)).toThrow(
      expect.objectContaining({ code: 'insufficient_funds', message: expect.stringMatching(/41.*40.*60/) }),
    );
    expect(reserve(balance, 'out', 40).held).toBe(100);
  });

  it('refuses what could take posted and expected money together beyond the largest balance', () => {
    const full = { posted: MAX_MINOR_UNITS - 10, held: 0, pendingIn: 4 };
    expect(reserve(full, 'in', 6).pendingIn).toBe(10);
    expect(() => reserve(full, 'in', 7)).toThrow(expect.objectContaining({ code: 'invalid_request' }));
    expect(() => reserve(full, 'in', MAX_MINOR_UNITS)).toThrow(
      expect.objectContaining({ code: 'invalid_request' }),
    );
  });
});
