import fc from 'fast-check';
import { draw, rounds } from '../../support/rounds';

/** `npm run test:faults` tries each fault often and tells the figures; `npm test` tries it a few times. */
const isLong = process.env['CHECK_FORM'] === 'long';

/** For jest.setTimeout: what hangs must still end. */
export const LIMIT_MS = isLong ? 40 * 60_000 : 90_000;

export function tries({ short, long }: { short: number; long: number }): number {
  return rounds(isLong ? long : short);
}

/** Tells what a check saw, in the form that docs/reliability.md quotes. */
export function report(check: string, figures: object): void {
  if (isLong) process.stderr.write(`FIGURES ${check}: ${JSON.stringify(figures)}\n`);
}

/** The median and the longest of some durations. */
export function spread(seconds: readonly number[]): object {
  const sorted = seconds.toSorted((a, b) => a - b);
  const at = (part: number): number => Number(sorted[Math.floor((sorted.length - 1) * part)]!.toFixed(2));
  return { median: at(0.5), longest: at(1) };
}

/** Moments of faults, evenly spread over 0 to `withinMs`. */
export function moments(withinMs: number, count: number): number[] {
  return draw(fc.noBias(fc.integer({ min: 0, max: withinMs })), count);
}

/** The fault strikes the wall's time, so the check waits for its moment; nothing is concluded from the wait. */
export function pass(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Polls until something is there. @throws Error after 30 s */
export async function until<T>(
  what: string,
  look: () => Promise<T | null | false> | T | null | false,
): Promise<T> {
  const deadline = performance.now() + 30_000;
  for (;;) {
    const found = await look();
    if (found !== null && found !== false) return found;
    if (performance.now() > deadline) throw new Error(`Not within 30 s: ${what}`);
    await pass(5);
  }
}
