import { Command, CommanderError } from 'commander';
import { createRequire } from 'node:module';
import type { CommandContext, CommandDescription, CommandSyntax, ExitCode } from './command';
import { exitCodes, UsageError } from './command';
import { createAdmin } from './commands/admin-create';
import { eraseAuditLog } from './commands/audit-log-erase';
import { distributeTables } from './commands/citus-distribute';
import { doctor } from './commands/doctor';
import { replayEvents } from './commands/events-replay';
import { rotateKeys } from './commands/keys-rotate';
import { verifyLedger } from './commands/ledger-verify';
import { applyMigrations, checkMigrations } from './commands/migrate';
import { createModule } from './commands/module-new';
import { printOpenApi } from './commands/openapi';
import { serve, work } from './commands/serve';
import { developerCommands } from './developer';
import { describeFailure } from './developer/failure';
import type { Service } from './service';
import { Output, type OutputOptions, type Terminal } from './terminal';

const operatorCommands: readonly CommandSyntax[] = [
  serve,
  work,
  doctor,
  applyMigrations,
  createAdmin,
  verifyLedger,
  eraseAuditLog,
  rotateKeys,
  replayEvents,
  distributeTables,
  checkMigrations,
  createModule,
  printOpenApi,
];

/** All commands, in the order of the help. */
export const commands: readonly CommandDescription[] = [...operatorCommands, ...developerCommands];

/** Commands with a heading in the help. `explain` says what went wrong in one of them. */
interface CommandGroup {
  readonly heading: string;
  readonly explain: (error: unknown) => string | Promise<string>;
}

const operators: CommandGroup = { heading: 'Commands of operators:', explain: explainError };
const developers: CommandGroup = { heading: 'Commands of developers:', explain: describeFailure };

/** Loads the service. Helps and developers' commands go without it, since its modules take a second to load. */
export type LoadService = () => Service | Promise<Service>;

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

const HELP_WIDTH = 100;

const EXIT_CODES = `
Exit codes:
  0  the command did its work
  1  it failed, or what it checks is at fault
  2  wrong arguments; nothing was done

Settings are environment variables. "countinghouse doctor" checks them.`;

/** The syntax of all commands. @param end receives the exit code of the command that runs */
function createProgram(
  load: LoadService,
  terminal: Terminal,
  args: readonly string[],
  end: (exitCode: ExitCode) => void,
): Command {
  const program = new Command('countinghouse')
    .description('Financial account service. Without a command, it serves the API.')
    .option('--version', 'print the version, with --json as JSON')
    .on('option:version', () => {
      const version = packageVersion();
      // The event precedes the parsing of the options that follow.
      terminal.stdout.write(`${args.includes('--json') ? JSON.stringify({ version }) : version}\n`);
      throw new CommanderError(exitCodes.ok, 'commander.version', 'The version was printed.');
    })
    .helpOption('--help', 'print what a command does and its options')
    .helpCommand(false)
    .configureHelp({ visibleCommands: commandsIn, subcommandTerm: fullName })
    .exitOverride()
    .configureOutput({
      writeOut: (text) => terminal.stdout.write(text),
      writeErr: (text) => terminal.stderr.write(text),
      getOutHelpWidth: () => HELP_WIDTH,
      getErrHelpWidth: () => HELP_WIDTH,
    })
    .showHelpAfterError('"--help" prints the commands and options.')
    .addHelpText('after', EXIT_CODES);
  const add = (group: CommandGroup, description: CommandDescription, work: Work): void =>
    addCommand(program, group, description, async (options) => {
      const output = new Output(terminal, options);
      end(await run(group, description, { terminal, output }, () => work(output, options)));
    });
  for (const syntax of operatorCommands)
    add(operators, syntax, async (output, options) =>
      syntax.run({ service: await load(), terminal, output }, options),
    );
  for (const syntax of developerCommands)
    add(developers, syntax, (output, options) => syntax.run({ terminal, output, commands }, options));
  return program;
}

type Work = (output: Output, options: object) => Promise<ExitCode>;

/** @param action gets the options, with the arguments among them */
function addCommand(
  program: Command,
  { heading }: CommandGroup,
  description: CommandDescription,
  action: (options: OutputOptions) => Promise<void>,
): void {
  const command = declare(program, description).helpGroup(heading);
  command.action(() => action({ ...namedArguments(command), ...command.opts<OutputOptions>() }));
}

function namedArguments({ registeredArguments, processedArgs }: Command): Record<string, unknown> {
  return Object.fromEntries(
    registeredArguments.map((argument, place) => [argument.name(), processedArgs[place] as unknown]),
  );
}

/** Adds a command, whose name may have two words: a group and what is done in it. */
function declare(
  program: Command,
  { name, summary, details, options = [], arguments: values = [], examples }: CommandDescription,
): Command {
  const [group, word] = name.includes(' ') ? (name.split(' ') as [string, string]) : [null, name];
  const parent = group === null ? program : findGroup(program, group);
  const command = parent
    .command(word)
    .summary(summary)
    .description(details ?? summary);
  if (name === 'serve') command.alias('start');
  for (const value of values) command.addArgument(value);
  for (const option of options) command.addOption(option);
  command.option(
    '--json',
    'print results as JSON on the standard output, and all else on the standard error',
  );
  const lines = examples.map((example) => `  $ countinghouse ${name}${example && ` ${example}`}`);
  return command.addHelpText('after', `\nExamples:\n${lines.join('\n')}`);
}

function findGroup(program: Command, name: string): Command {
  return program.commands.find((command) => command.name() === name) ?? program.command(name);
}

/** The commands of a group, or those of the program with those of its groups, in the order of the list. */
function commandsIn(command: Command): Command[] {
  const place = (one: Command): number => commands.findIndex(({ name }) => name === fullName(one));
  return leavesOf(command).toSorted((one, other) => place(one) - place(other));
}

function leavesOf({ commands: members }: Command): Command[] {
  return members.flatMap((member) => (member.commands.length > 0 ? leavesOf(member) : [member]));
}

/** The words that call a command. */
function fullName(command: Command): string {
  const { parent } = command;
  return parent?.parent ? `${fullName(parent)} ${command.name()}` : command.name();
}

async function run(
  { explain }: CommandGroup,
  { failure }: CommandDescription,
  { terminal, output }: Omit<CommandContext, 'service'>,
  work: () => Promise<ExitCode>,
): Promise<ExitCode> {
  try {
    return await work();
  } catch (error) {
    const isUsage = error instanceof UsageError;
    const message = isUsage ? error.message : `${failure}. ${await explain(error)}`;
    terminal.stderr.write(`${message}\n`);
    output.result({ error: isUsage ? 'usage' : 'failed', message });
    return isUsage ? exitCodes.usage : exitCodes.failed;
  }
}

async function explainError(error: unknown): Promise<string> {
  const { describeStartupError } = await import('./startup-error.js');
  return describeStartupError(error);
}

function packageVersion(): string {
  const { version } = createRequire(__filename)('countinghouse/package.json') as { version: string };
  return version;
}
