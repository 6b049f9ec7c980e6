/** Starts a bounded number of calls at a time, the others in order of arrival. */
export class Turns {
  private running = 0;
  private readonly waiting: (() => void)[] = [];

  constructor(private readonly size: number) {}

  take(start: () => void): void {
    if (this.running === this.size) {
      this.waiting.push(start);
      return;
    }
    this.running += 1;
    // Requests arrive in separate callbacks. setImmediate runs after all callbacks of one turn of the event loop.
    setImmediate(start);
  }

  end(): void {
    this.running -= 1;
    const next = this.waiting.shift();
    if (next !== undefined) this.take(next);
  }
}
