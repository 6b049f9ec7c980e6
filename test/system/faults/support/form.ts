import fc from 'fast-check';
import { draw, rounds } from '../../../support/rounds';

/** `npm run test:faults` repeats each fault many times and prints the results; all other commands repeat it a few times. */
export const isLong = process.env['CHECK_FORM'] === 'long';

/** The timeout of a test or hook, for jest.setTimeout. */
export const LIMIT_MS = isLong ? 40 * 60_000 : 300_000;

export function repetitions({ short, long }: { short: number; long: number }): number {
  return rounds(isLong ? long : short);
}

/** Prints the results that docs/reliability.md quotes. */
export function report(check: string, figures: object): void {
  if (isLong) process.stderr.write(`FIGURES ${check}: ${JSON.stringify(figures)}\n`);
}

/** Returns the median and the maximum of durations. */
export function summaryOf(seconds: readonly number[]): object {
  const sorted = seconds.toSorted((a, b) => a - b);
  const at = (part: number): number => Number(sorted[Math.floor((sorted.length - 1) * part)]!.toFixed(2));
  return { median: at(0.5), longest: at(1) };
}

/** Draws times of faults, uniformly distributed from 0 to `withinMs`. */
export function randomDelays(withinMs: number, count: number): number[] {
  return draw(fc.noBias(fc.integer({ min: 0, max: withinMs })), count);
}

/** Waits in real time until a fault is due. No check depends on the exact duration. */
export function wait(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Polls until `look` returns a result. @throws Error after 30 s */
export async function until<T>(
  what: string,
  look: () => Promise<T | null | false> | T | null | false,
): Promise<T> {
  const deadline = performance.now() + 30_000;
  for (;;) {
    const found = await look();
    if (found !== null && found !== false) return found;
    if (performance.now() > deadline) throw new Error(`Timeout after 30 s: ${what}`);
    await wait(5);
  }
}
