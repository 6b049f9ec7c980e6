import { Refusal } from './refusal';

/** The largest amount and the largest balance, in minor units: what a JSON number carries without loss. */
export const MAX_MINOR_UNITS = Number.MAX_SAFE_INTEGER;

/** Whether `value` is an amount: an integer of minor units from 1 to 2^53 - 1. */
export function isAmount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 1;
}

/**
 * The sum of two numbers of minor units, neither negative.
 * @throws Refusal `invalid_request` above the largest balance. The comparison is by difference, since the
 * sum itself would already be rounded.
 */
export function addMinorUnits(a: number, b: number, what: string): number {
  if (b > MAX_MINOR_UNITS - a) {
    throw new Refusal('invalid_request', `${what} would exceed ${MAX_MINOR_UNITS} minor units.`);
  }
  return a + b;
}
