import { addMinorUnits } from '../../../kernel/money';
import { Refusal } from '../../../kernel/refusal';

/** What stands on an account's row about its money, in minor units. None of it is ever below zero. */
export interface Balance {
  /** What has been settled: the sum of the account's journal entries. */
  readonly posted: number;
  /** What of it is promised to refunds that are under way. */
  readonly held: number;
  /** What is coming in and not settled yet. It never counts as available. */
  readonly pendingIn: number;
}

/** Whether money comes into the account or leaves it. */
export type Direction = 'in' | 'out';

/** What can be refunded: what has been settled, less what is promised already. */
export function available({ posted, held }: Balance): number {
  return posted - held;
}

/**
 * The balance once a movement has begun: incoming money is expected, outgoing money is held.
 * @throws Refusal `insufficient_funds` for more than is available; `invalid_request` beyond the largest balance
 */
export function reserve(balance: Balance, direction: Direction, amount: number): Balance {
  if (direction === 'in') {
    addMinorUnits(addMinorUnits(balance.posted, balance.pendingIn, 'The balance'), amount, 'The balance');
    return { ...balance, pendingIn: balance.pendingIn + amount };
  }
  if (amount > available(balance)) {
    const figures = `required ${amount}, available ${available(balance)}, held ${balance.held}`;
    throw new Refusal('insufficient_funds', `The balance is too low: ${figures} (minor units).`);
  }
  return { ...balance, held: balance.held + amount };
}

/** The balance once a movement that had begun will not happen. */
export function withdraw(balance: Balance, direction: Direction, amount: number): Balance {
  return direction === 'in'
    ? { ...balance, pendingIn: balance.pendingIn - amount }
    : { ...balance, held: balance.held - amount };
}

/** The balance once a movement that had begun has happened. */
export function settle(balance: Balance, direction: Direction, amount: number): Balance {
  const { posted } = balance;
  return {
    ...withdraw(balance, direction, amount),
    posted: direction === 'in' ? posted + amount : posted - amount,
  };
}
