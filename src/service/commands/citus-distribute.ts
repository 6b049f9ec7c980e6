import { InvalidArgumentError, Option } from 'commander';
import { ConfigError } from '../../platform/config/settings';
import { databaseSettings } from '../../platform/database/database.settings';
import { type CommandContext, type CommandSyntax, type ExitCode, exitCodes } from '../command';

interface DistributeOptions {
  readonly dryRun?: boolean;
  readonly shards?: number;
}

export const distributeTables: CommandSyntax<DistributeOptions> = {
  name: 'citus distribute',
  summary: 'distribute the tables over the workers of Citus',
  details:
    'Distributes the tables of DATABASE_URL, a coordinator of Citus, by account over its workers. Stop all replicas and make a backup first: nothing but the backup undoes it.',
  options: [
    new Option('--dry-run', 'only print the plan'),
    new Option(
      '--shards <number>',
      'the shards of each table, which bound the number of workers (default: four for each worker)',
    ).argParser(positiveInteger),
  ],
  examples: ['--dry-run', '--shards 64'],
  failure: 'The database cannot be distributed',
  run,
};

async function run(
  { service, terminal, output }: CommandContext,
  { dryRun = false, shards }: DistributeOptions,
): Promise<ExitCode> {
  const { print } = output;
  const { url } = service.readSettings(terminal.env).of(databaseSettings);
  if (url === null) throw new ConfigError('DATABASE_URL: must be set, to a coordinator of Citus');
  const { distribute } = await import('../../platform/database/citus/distribute.js');
  const { accountCounts } = await import('../../modules/accounts/index.js');
  if (!dryRun) await service.migrate(url); // the tables have to exist, so that they are placed
  const missing = await distribute(url, { dryRun, shards, countedLists: [accountCounts], print });
  if (missing.length === 0) print('All tables are placed.');
  else print(`Not placed: ${missing.join(', ')}.`);
  output.result({ not_placed: missing });
  return missing.length === 0 || dryRun ? exitCodes.ok : exitCodes.failed;
}

function positiveInteger(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1) throw new InvalidArgumentError('It must be a positive integer.');
  return value;
}
