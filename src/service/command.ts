import type { Argument, Option } from 'commander';
import type { Output, Terminal } from './terminal';
import type { Service } from './service';

export const exitCodes = {
  ok: 0,
  /** The command could not do its work, or what it checks is at fault. */
  failed: 1,
  /** The command was called with wrong arguments, and did nothing. */
  usage: 2,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** The arguments of a command contradict each other. `message` says what to change. */
export class UsageError extends Error {}

/** What a command works with. */
export interface CommandContext {
  readonly service: Service;
  readonly terminal: Terminal;
  readonly output: Output;
}

/** What a command of developers works with, which calls the API by HTTP and knows no service. */
export interface DeveloperContext extends Omit<CommandContext, 'service'> {
  /** All commands, in the order of the help. */
  readonly commands: readonly CommandDescription[];
}

/** A command: how it is called, and what it does. */
export interface CommandSyntax<Options = object, Context = CommandContext> {
  /** One word, or two: a group of commands, and what is done in it. */
  readonly name: string;
  /** One line, without a period. */
  readonly summary: string;
  /** What its own help says; the summary by default. */
  readonly details?: string;
  /** `run` gets their values among the options, under their names. */
  readonly arguments?: readonly Argument[];
  readonly options?: readonly Option[];
  /** Arguments that are worth copying, without the name of the command. */
  readonly examples: readonly string[];
  /** What is printed before the reason when the command fails. */
  readonly failure: string;
  /** @throws UsageError before anything is done; any other error says why the command failed */
  run(context: Context, options: Options): Promise<ExitCode>;
}

export type DeveloperCommand<Options = object> = CommandSyntax<Options, DeveloperContext>;

/** How a command is called. */
export type CommandDescription = Omit<CommandSyntax, 'run'>;
