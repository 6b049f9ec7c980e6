import { Argument, InvalidArgumentError, Option } from 'commander';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { SystemClock } from '../../kernel/clock';
import { type CommandContext, type CommandSyntax, type ExitCode, exitCodes, UsageError } from '../command';
import type { Service } from '../service';

interface ModuleOptions {
  readonly name: string;
  readonly prefix?: string;
  readonly folder: string;
}

export const createModule: CommandSyntax<ModuleOptions> = {
  name: 'module new',
  summary: 'write a module of an extension',
  details:
    'For developers: writes a folder with a resource of accounts, its table, migration, events, periodic task, operations and test. It never overwrites a file.',
  arguments: [
    new Argument('<name>', 'the resource in the singular, such as mandate or bank-mandate').argParser(
      checkName,
    ),
  ],
  options: [
    new Option('--prefix <letters>', 'the prefix of its ids; by default the first four letters').argParser(
      checkPrefix,
    ),
    new Option('--folder <folder>', 'where to create its folder').default('src'),
  ],
  examples: ['mandate', 'bank-mandate --prefix bman'],
  failure: 'The module cannot be written',
  run,
};

/** The longest name whose indexes have names that PostgreSQL does not cut. */
const MAX_CHARACTERS = 30;

function checkName(name: string): string {
  if (/^[a-z]+(-[a-z]+)*$/.test(name) && name.length >= 2 && name.length <= MAX_CHARACTERS) return name;
  throw new InvalidArgumentError(
    `It must be lower-case words joined by hyphens, of 2 to ${MAX_CHARACTERS} characters.`,
  );
}

function checkPrefix(prefix: string): string {
  if (/^[a-z]{2,8}$/.test(prefix)) return prefix;
  throw new InvalidArgumentError('It must be 2 to 8 lower-case letters.');
}

async function run(
  { service, output }: CommandContext,
  { name, prefix = name.replaceAll('-', '').slice(0, 4), folder }: ModuleOptions,
): Promise<ExitCode> {
  const templates = readTemplates();
  const rename = renaming(name, prefix);
  assertFree(service, rename, prefix);
  assertNoClash(templates, rename);
  const target = join(folder, `${name}s`);
  if (existsSync(target)) throw new UsageError(`${target} exists already. Nothing was written.`);
  mkdirSync(target, { recursive: true });
  const files = templates.map(({ file, text }) => {
    const path = join(target, rename(file));
    writeFileSync(path, rename(text), { flag: 'wx' });
    output.print(`Wrote ${path}`);
    return path;
  });
  output.print(
    `Add ${rename('sampleItems')} of ${join(target, rename('sample-items.module'))} to the extensions.`,
  );
  output.result({ files });
  return exitCodes.ok;
}

interface Template {
  readonly file: string;
  readonly text: string;
}

/** The files of a module that works, of which a resource is called "sample item". */
function readTemplates(): Template[] {
  const folder = join(
    dirname(createRequire(__filename).resolve('countinghouse/package.json')),
    'examples/module',
  );
  return readdirSync(folder).map((file) => ({ file, text: readFileSync(join(folder, file), 'utf8') }));
}

type Rename = (text: string) => string;

/** Replaces the names of the template, in each of their spellings. */
function renaming(name: string, prefix: string): Rename {
  const words = name.replaceAll('-', ' ');
  const pascal = name.replace(/(?:^|-)(\w)/g, (_, letter: string) => letter.toUpperCase());
  const spellings: Readonly<Record<string, string>> = {
    SampleItem: pascal,
    sampleItem: pascal.charAt(0).toLowerCase() + pascal.slice(1),
    sample_item: name.replaceAll('-', '_'),
    'sample-item': name,
    'sample item': words,
    'Sample item': words.charAt(0).toUpperCase() + words.slice(1),
    smpl: prefix,
    '1798761600000': String(new SystemClock().now().getTime()),
  };
  const pattern = new RegExp(Object.keys(spellings).join('|'), 'g');
  return (text) => text.replace(pattern, (spelling) => spellings[spelling]!);
}

/** @throws UsageError for a table or an id prefix that the service has already */
function assertFree(service: Service, rename: Rename, prefix: string): void {
  const table = rename('sample_items');
  if (service.schema.entities.some(({ options }) => options.tableName === table))
    throw new UsageError(`There is a table "${table}" already. Choose another name.`);
  if (service.idPrefixes.includes(prefix))
    throw new UsageError(`The id prefix "${prefix}" is taken. Choose another one with --prefix.`);
}

/** @throws UsageError for a name such as `date`, whose class would hide one that the module uses */
function assertNoClash(templates: readonly Template[], rename: Rename): void {
  const identifiers = new Set(templates.flatMap(({ text }) => text.match(/\b[A-Za-z]\w*/g) ?? []));
  const taken = [...identifiers]
    .map((identifier) => ({ identifier, renamed: rename(identifier) }))
    .filter(({ identifier, renamed }) => renamed !== identifier)
    .find(({ renamed }) => identifiers.has(renamed) || renamed in globalThis);
  if (taken) throw new UsageError(`The name "${taken.renamed}" is used otherwise. Choose another one.`);
}
