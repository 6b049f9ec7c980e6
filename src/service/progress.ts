import { cursorTo, clearLine } from 'node:readline';

const BAR_CHARACTERS = 30;
/** A bar is drawn again after this time; a log of lines gets one each second. */
const BAR_INTERVAL_MS = 100;
const LINE_INTERVAL_MS = 1_000;

/** Shows how far long work has come: as a bar on a terminal, elsewhere as a line a second. */
export class Progress {
  private readonly startedAt: number;
  private shownAt: number;
  private isDrawn = false;

  /**
   * @param unit what is counted, in the plural
   * @param now a time in milliseconds
   */
  constructor(
    private readonly stream: Pick<NodeJS.WriteStream, 'isTTY' | 'write'>,
    private readonly unit: string,
    private readonly isQuiet: boolean,
    private readonly now = (): number => performance.now(),
  ) {
    this.startedAt = this.shownAt = now();
  }

  /** The seconds since the work began. */
  get seconds(): number {
    return (this.now() - this.startedAt) / 1000;
  }

  /** Shows the present count, unless the last one was shown just before. @param total the count at the end */
  update(done: number, total: number): void {
    const { stream } = this;
    const now = this.now();
    const interval = stream.isTTY ? BAR_INTERVAL_MS : LINE_INTERVAL_MS;
    if (this.isQuiet || now - this.shownAt < interval) return;
    this.shownAt = now;
    if (!stream.isTTY) return void stream.write(`${this.describe(done, total)}\n`);
    this.erase();
    stream.write(`${bar(done, total)} ${this.describe(done, total)}`);
    this.isDrawn = true;
  }

  /** Removes the bar, so that the next line can be printed. */
  end(): void {
    if (this.isDrawn) this.erase();
    this.isDrawn = false;
  }

  private describe(done: number, total: number): string {
    const counts = `${done.toLocaleString('en')} of ${total.toLocaleString('en')} ${this.unit}`;
    const secondsLeft = Math.ceil((this.seconds / done) * (total - done));
    const rest = done > 0 && total > done ? `, ${secondsLeft} s left` : '';
    return `${Math.floor(100 * formatShare(done, total))} %: ${counts}${rest}`;
  }

  private erase(): void {
    cursorTo(this.stream as NodeJS.WriteStream, 0);
    clearLine(this.stream as NodeJS.WriteStream, 0);
  }
}

/** The service may go on to write, so that more is done than was counted at first. */
function formatShare(done: number, total: number): number {
  return total === 0 ? 1 : Math.min(1, done / total);
}

function bar(done: number, total: number): string {
  const filled = Math.round(BAR_CHARACTERS * formatShare(done, total));
  return `[${'#'.repeat(filled)}${'.'.repeat(BAR_CHARACTERS - filled)}]`;
}
