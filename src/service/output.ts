import { Progress } from './progress';
import type { Terminal } from './terminal';

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
