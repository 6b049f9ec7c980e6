import { PassThrough, Readable } from 'node:stream';
import { Terminal } from '../../src/service/terminal';

export interface TestTerminal extends Terminal {
  /** What was written to the standard output, and to the standard error. */
  readonly out: string;
  readonly err: string;
}

/** A terminal for a command that runs in the process of the test. @param input the standard input, which then ends */
export function aTerminal(env: NodeJS.ProcessEnv = {}, input = ''): TestTerminal {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const written = { out: '', err: '' };
  stdout.on('data', (chunk) => (written.out += String(chunk)));
  stderr.on('data', (chunk) => (written.err += String(chunk)));
  const streams = { env, stdin: Readable.from([input]), stdout, stderr };
  return Object.defineProperties(streams as unknown as TestTerminal, {
    out: { get: () => written.out },
    err: { get: () => written.err },
  });
}

/** A terminal on which someone types. */
export function aKeyboard(env: NodeJS.ProcessEnv = {}): {
  terminal: TestTerminal;
  type: (keys: string) => void;
} {
  const stdin = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => stdin });
  const terminal = Object.assign(aTerminal(env), { stdin }) as unknown as TestTerminal;
  return { terminal, type: (keys) => void stdin.write(keys) };
}
