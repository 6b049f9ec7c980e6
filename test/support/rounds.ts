import fc from 'fast-check';
import { randomInt } from 'node:crypto';

/** The short form tries the same every time, so that it fails for a change and not by chance. */
const SHORT_FORM_SEED = 20_261_120;

/**
 * The seed of this run's random choices; titles of tests print it. The long form (CHECK_ROUNDS) looks where nobody has
 * looked; CHECK_SEED repeats a run that failed.
 */
export const SEED = Number(
  process.env['CHECK_SEED'] ?? (process.env['CHECK_ROUNDS'] ? randomInt(2 ** 31) : SHORT_FORM_SEED),
);

/** How often a check is tried: a short form by default, longer with CHECK_ROUNDS. */
export function rounds(preset: number): number {
  return Number(process.env['CHECK_ROUNDS'] ?? preset);
}

/** Values drawn from an arbitrary, the same for the same seed. */
export function draw<T>(arbitrary: fc.Arbitrary<T>, count: number, round = 0): T[] {
  return fc.sample(arbitrary, { seed: SEED + round, numRuns: count });
}
