import { Argument } from 'commander';
import type { CommandDescription, DeveloperCommand, DeveloperContext, ExitCode } from '../command';
import { exitCodes } from '../command';

/** What may follow words that were typed. */
interface Step {
  /** The words after the name of the program, separated by spaces; none for the first word. */
  readonly typed: string;
  /** Whether anything may stand between them and what follows. */
  readonly isCommand: boolean;
  readonly next: readonly Suggestion[];
}

interface Suggestion {
  readonly word: string;
  readonly description: string;
}

const shells = { bash, zsh, fish } as const;

interface CompletionOptions {
  readonly shell: keyof typeof shells;
}

export const completion: DeveloperCommand<CompletionOptions> = {
  name: 'completion',
  summary: 'print a script that completes commands in a shell',
  details: 'Prints a script for a shell, which then completes commands and options on the tab key.',
  arguments: [new Argument('<shell>', 'the shell').choices(Object.keys(shells))],
  examples: ['bash > ~/.local/share/bash-completion/completions/countinghouse', 'fish | source'],
  failure: 'The script cannot be printed',
  run,
};

async function run({ output, commands }: DeveloperContext, { shell }: CompletionOptions): Promise<ExitCode> {
  const script = shells[shell](stepsOf(commands));
  output.print(script.trimEnd());
  output.result({ shell, script });
  return exitCodes.ok;
}

function stepsOf(commands: readonly CommandDescription[]): readonly Step[] {
  const groups = new Map<string, Suggestion[]>();
  const suggest = (typed: string, word: string, description: string): void => {
    const known = groups.get(typed) ?? [];
    if (known.every((one) => one.word !== word)) groups.set(typed, [...known, { word, description }]);
  };
  for (const { name, summary } of commands) {
    const [first, second] = name.split(' ') as [string, string?];
    suggest('', first, second === undefined ? summary : `${first} ...`);
    if (second !== undefined) suggest(first, second, summary);
  }
  return [
    ...[...groups].map(([typed, next]) => ({ typed, isCommand: false, next })),
    ...commands.map((command) => ({ typed: command.name, isCommand: true, next: wordsOf(command) })),
  ];
}

/** The arguments with a fixed set of values, and the options. */
function wordsOf({ arguments: values = [], options = [] }: CommandDescription): readonly Suggestion[] {
  return [
    ...values.flatMap(({ argChoices = [], description }) =>
      argChoices.map((word) => ({ word, description })),
    ),
    ...options.map(({ long, description }) => ({ word: long!, description })),
    { word: '--json', description: 'print results as JSON' },
    { word: '--help', description: 'print what the command does' },
  ];
}

/** A text between single quotes, for bash and zsh. */
const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** Matches what was typed, for bash and zsh. */
const pattern = ({ typed, isCommand }: Step): string =>
  isCommand ? `${quote(typed)} | ${quote(`${typed} `)}*` : quote(typed);

function bash(steps: readonly Step[]): string {
  const cases = steps.map(
    (step) => `    ${pattern(step)}) words=${quote(step.next.map(({ word }) => word).join(' '))} ;;`,
  );
  return `# Completion of countinghouse for bash.
_countinghouse() {
  local words=''
  case "\${COMP_WORDS[*]:1:COMP_CWORD-1}" in
${cases.join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _countinghouse countinghouse
`;
}

function zsh(steps: readonly Step[]): string {
  const entry = ({ word, description }: Suggestion): string =>
    quote(`${word.replaceAll(':', '\\:')}:${description}`);
  const cases = steps.map((step) => `    ${pattern(step)}) found=(${step.next.map(entry).join(' ')}) ;;`);
  return `#compdef countinghouse
# Completion of countinghouse for zsh.
_countinghouse() {
  local -a found
  case "\${(j: :)words[2,CURRENT-1]}" in
${cases.join('\n')}
  esac
  _describe countinghouse found
}
# A file that zsh loads by its name is the function itself.
if [[ "$funcstack[1]" == _countinghouse ]]; then _countinghouse; else compdef _countinghouse countinghouse; fi
`;
}

function fish(steps: readonly Step[]): string {
  const text = (value: string): string => `'${value.replace(/[\\']/g, '\\$&')}'`;
  const condition = ({ typed, isCommand }: Step): string =>
    text(`__countinghouse_typed "^${typed}${isCommand ? '( |\\$)' : '\\$'}"`);
  const lines = steps.flatMap((step) =>
    step.next.map(
      ({ word, description }) =>
        `complete -c countinghouse -n ${condition(step)} -a ${text(word)} -d ${text(description)}`,
    ),
  );
  return `# Completion of countinghouse for fish.
function __countinghouse_typed
  set -l typed (commandline -opc)
  set -e typed[1]
  string match -qr -- $argv[1] "$typed"
end
complete -c countinghouse -f
${lines.join('\n')}
`;
}
