import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import type { Terminal } from './terminal';

/** Reads a line that nobody else is to see: asks for it on a terminal, where it is not shown, or takes the first line. */
export async function readSecret({ stdin, stderr }: Terminal, question: string): Promise<string> {
  if (stdin.isTTY) stderr.write(question);
  const nowhere = new Writable({ write: (_chunk, _encoding, written) => written() });
  const lines = createInterface({ input: stdin, output: nowhere, terminal: stdin.isTTY ?? false });
  // The line is empty when the input ends, or the terminal gets Ctrl-C.
  const line = once(lines, 'line').then(([text]) => text as string);
  const nothing = once(lines, 'close').then(() => '');
  const secret = await Promise.race([line, nothing]);
  lines.close();
  if (stdin.isTTY) stderr.write('\n');
  return secret;
}
