import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execute } from '../../src/service/command-line';
import { TestService } from './service';
import { aTerminal, TestTerminal } from './terminal';

interface Run extends TestTerminal {
  readonly code: number;
}

/** A developer at a terminal, with a configuration folder that is empty at first. */
export class Developer {
  private readonly home = mkdtempSync(join(tmpdir(), 'countinghouse-developer-'));
  /** All that the commands have printed. */
  printed = '';

  /** @param settings environment variables */
  constructor(private readonly settings: NodeJS.ProcessEnv = {}) {}

  get env(): NodeJS.ProcessEnv {
    return { XDG_CONFIG_HOME: this.home, ...this.settings };
  }

  get folder(): string {
    return join(this.home, 'countinghouse');
  }

  get file(): string {
    return join(this.folder, 'config.json');
  }

  /** What the file has. */
  get stored(): unknown {
    return JSON.parse(readFileSync(this.file, 'utf8'));
  }

  logIn({ url }: Pick<TestService, 'url'>, key: string): Promise<Run> {
    return this.run(`login --url ${url}`, `${key}\n`);
  }

  /** Runs a command. @param args separated by spaces @param input the standard input */
  async run(args: string, input = '', settings: NodeJS.ProcessEnv = {}): Promise<Run> {
    const terminal = aTerminal({ ...this.env, ...settings }, input);
    return Object.assign(terminal, { code: await this.runOn(terminal, args.split(' ')) });
  }

  /** Runs a command, which must not load the service. @returns its exit code */
  async runOn(terminal: TestTerminal, args: readonly string[]): Promise<number> {
    const load = (): never => {
      throw new Error('The service was loaded.');
    };
    const code = await execute(load, args, terminal);
    this.printed += terminal.out + terminal.err;
    return code;
  }

  remove(): void {
    rmSync(this.home, { recursive: true, force: true });
  }
}

/** Who may read and write a file or folder. */
export function modeOf(path: string): number {
  return statSync(path).mode & 0o777;
}
