import { SEED } from '../../support/rounds';

/** A seeded random generator. It prints its seed, and CHECK_SEED repeats a failed run. */
export class Seeded {
  private state: number;

  constructor(private readonly check: string) {
    this.state = SEED;
    this.report(`seed ${this.state}`);
  }

  /** Prints a result of the check. */
  report(line: string): void {
    process.stdout.write(`${this.check}: ${line}\n`);
  }

  /** Returns an integer from 0 to `below` - 1. */
  below(below: number): number {
    return Math.floor(this.fraction() * below);
  }

  pick<T>(items: readonly T[]): T {
    return items[this.below(items.length)]!;
  }

  shuffled<T>(items: readonly T[]): T[] {
    return items
      .map((item) => ({ item, order: this.fraction() }))
      .toSorted((a, b) => a.order - b.order)
      .map(({ item }) => item);
  }

  /** Mulberry32. Its 32 bits of state are sufficient for choosing test cases. */
  private fraction(): number {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }
}

export function percentile(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length * share)]!;
}
