/** Starts a bounded number of calls at a time, the others in order of arrival. */
export class ConcurrencyLimit {
  private running = 0;
  private readonly waiting: (() => void)[] = [];

  /** @param max the calls that run at a time */
  constructor(private readonly max: number) {}

  /** Starts a call now, or when earlier ones have ended. Call `release` when it has ended. */
  schedule(start: () => void): void {
    if (this.running === this.max) {
      this.waiting.push(start);
      return;
    }
    this.running += 1;
    // Requests arrive in separate callbacks. setImmediate runs after all callbacks of one turn of the event loop.
    setImmediate(start);
  }

  release(): void {
    this.running -= 1;
    const next = this.waiting.shift();
    if (next !== undefined) this.schedule(next);
  }
}
