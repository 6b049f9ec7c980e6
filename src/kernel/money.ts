import { DomainError } from './domain-error';

/** The largest amount and the largest balance, in minor units: the largest integer that JSON clients read exactly. */
export const MAX_MINOR_UNITS = Number.MAX_SAFE_INTEGER;

/** Whether `value` is a valid amount: an integer number of minor units from 1 to 2^53 - 1. */
export function isAmount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 1;
}

/**
 * Adds two non-negative numbers of minor units.
 * @param what the subject of the error message, e.g. "The balance"
 * @throws DomainError `invalid_request` when the sum exceeds the largest balance
 */
export function addMinorUnits(a: number, b: number, what: string): number {
  // Compares by difference, because a sum beyond the safe range would already be rounded.
  if (b > MAX_MINOR_UNITS - a) {
    throw new DomainError('invalid_request', `${what} would exceed ${MAX_MINOR_UNITS} minor units.`);
  }
  return a + b;
}
