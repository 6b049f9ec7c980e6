import { SEED } from '../support/rounds';

/** How many rounds a check takes: few in the everyday run, as many as CHECK_ROUNDS says in a long one. */
export function rounds(everyday: number): number {
  return Number(process.env['CHECK_ROUNDS'] ?? everyday);
}

/** Randomness that a failing run can be repeated with: its seed is printed, and CHECK_SEED sets it. */
export class Seeded {
  private state: number;

  constructor(private readonly check: string) {
    this.state = SEED;
    this.report(`seed ${this.state}`);
  }

  /** A figure of the check, for the reader of the run. */
  report(line: string): void {
    process.stdout.write(`${this.check}: ${line}\n`);
  }

  /** A whole number from 0 to `below` - 1. */
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

  /** Mulberry32: 32 bits of state are plenty for choosing between cases. */
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
