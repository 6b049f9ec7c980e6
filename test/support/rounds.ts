import fc from 'fast-check';
import { randomInt } from 'node:crypto';

/** The seed of this run's random choices. CHECK_SEED repeats a run that failed; titles of tests print it. */
export const SEED = Number(process.env['CHECK_SEED'] ?? randomInt(2 ** 31));

/** How often a check is tried: a short form by default, longer with CHECK_ROUNDS. */
export function rounds(preset: number): number {
  return Number(process.env['CHECK_ROUNDS'] ?? preset);
}

/** Values drawn from an arbitrary, the same for the same seed. */
export function draw<T>(arbitrary: fc.Arbitrary<T>, count: number, round = 0): T[] {
  return fc.sample(arbitrary, { seed: SEED + round, numRuns: count });
}
