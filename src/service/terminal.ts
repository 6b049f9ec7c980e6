import { once } from 'node:events';
import { clearLine, createInterface, cursorTo } from 'node:readline';
import { Writable } from 'node:stream';

/** What a command reads and writes, as far as it is not the database: the process, or a test in its place. */
export type Terminal = Pick<NodeJS.Process, 'env' | 'stdin' | 'stdout' | 'stderr'>;

export interface OutputOptions {
  /** Results are JSON on the standard output. What is for people goes to the standard error. */
  readonly json?: boolean;
  /** No progress is shown. */
  readonly quiet?: boolean;
}

/** What a command prints. */
export class Output {
  constructor(
    private readonly terminal: Pick<Terminal, 'stdout' | 'stderr'>,
    private readonly options: OutputOptions,
  ) {}

  /** Prints a line for people. */
  readonly print = (line: string): void => {
    const { stdout, stderr } = this.terminal;
    (this.options.json ? stderr : stdout).write(`${line}\n`);
  };

  /** Prints a result for programs as one line of JSON, with --json only. */
  result(value: object): void {
    if (this.options.json) this.terminal.stdout.write(`${JSON.stringify(value)}\n`);
  }

  /** Shows how far work has come. @param unit what is counted, in the plural */
  progress(unit: string): Progress {
    return new Progress(this.terminal.stderr, unit, this.options.quiet ?? false);
  }
}

/** Reads a line that nobody else is to see: asks for it on a terminal, where it is not shown, or takes the first line. */
export async function readSecret(terminal: Terminal, question: string): Promise<string> {
  const nowhere = new Writable({ write: (_chunk, _encoding, written) => written() });
  const secret = await ask(terminal, question, nowhere);
  if (terminal.stdin.isTTY) terminal.stderr.write('\n');
  return secret;
}

/** Reads a line that is shown while it is typed. */
export function readLine(terminal: Terminal, question: string): Promise<string> {
  return ask(terminal, question, terminal.stderr);
}

/** @param echo shows what is typed on a terminal */
async function ask({ stdin, stderr }: Terminal, question: string, echo: Writable): Promise<string> {
  if (stdin.isTTY) stderr.write(question);
  const lines = createInterface({ input: stdin, output: echo, terminal: stdin.isTTY ?? false });
  // The line is empty when the input ends, or the terminal gets Ctrl-C.
  const line = once(lines, 'line').then(([text]) => text as string);
  const nothing = once(lines, 'close').then(() => '');
  const answer = await Promise.race([line, nothing]);
  lines.close();
  return answer;
}

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
