import type { Command } from 'commander';
import { CommanderError } from 'commander';
import { exitCodes } from './command';
import type { LoadService } from './program';
import { createProgram } from './program';
import type { Terminal } from './terminal';

/** Runs the command that the arguments name, by default `serve`, and sets the exit code of the process. */
export async function runCommand(load: LoadService, args: readonly string[]): Promise<void> {
  // A program that reads only the beginning, such as `head`, closes the pipe.
  for (const stream of [process.stdout, process.stderr])
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
    });
  process.exitCode = await execute(load, args, process);
}

/** Runs a command. @returns its exit code */
export async function execute(
  load: LoadService,
  args: readonly string[],
  terminal: Terminal,
): Promise<number> {
  let exitCode: number = exitCodes.ok;
  const program = createProgram(load, terminal, args, (code) => (exitCode = code));
  try {
    await program.parseAsync(splitName(args, program), { from: 'user' });
    return exitCode;
  } catch (error) {
    // Only --help and --version end without an error.
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.ok : exitCodes.usage;
    throw error;
  }
}

/** The names of npm scripts and of version 0.1 are accepted too: `ledger:verify` is `ledger verify`. */
function splitName([name = 'serve', ...others]: readonly string[], program: Command): readonly string[] {
  const [group, command] = name.split(':');
  const isGroup = command !== undefined && program.commands.some((one) => one.name() === group);
  return isGroup ? [group!, command, ...others] : [name, ...others];
}
