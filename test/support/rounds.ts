import fc from 'fast-check';
import { randomInt } from 'node:crypto';

/** Short runs use a fixed seed, so that they fail because of a change and not by chance. */
const DEFAULT_SEED = 20_261_120;

/**
 * The seed of all random choices, which test titles contain. Long runs (CHECK_ROUNDS) use a random seed. CHECK_SEED
 * repeats a failed run.
 */
export const SEED = Number(
  process.env['CHECK_SEED'] ?? (process.env['CHECK_ROUNDS'] ? randomInt(2 ** 31) : DEFAULT_SEED),
);

/** The number of repetitions of a check: CHECK_ROUNDS, or the given default. */
export function rounds(byDefault: number): number {
  return Number(process.env['CHECK_ROUNDS'] ?? byDefault);
}

/** Draws values from an arbitrary. The same seed yields the same values. */
export function draw<T>(arbitrary: fc.Arbitrary<T>, count: number, round = 0): T[] {
  return fc.sample(arbitrary, { seed: SEED + round, numRuns: count });
}
