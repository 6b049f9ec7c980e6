import { Option } from 'commander';
import { type CommandContext, type CommandSyntax, type ExitCode, exitCodes } from '../command';

interface MigrateOptions {
  readonly check?: true;
}

export const applyMigrations: CommandSyntax<MigrateOptions> = {
  name: 'migrate',
  summary: 'apply the pending migrations of the database',
  details:
    'Applies the pending migrations, as "serve" and most other commands do before they begin. One process at a time does it, and the others wait.',
  options: [new Option('--check', 'only print what is pending; the exit code is 1 if anything is')],
  examples: ['', '--check'],
  failure: 'The database cannot be migrated',
  run: (context, { check }) =>
    context.service.onDatabase(
      context.terminal.env,
      ({ url }) => (check ? printPending(context, url) : apply(context, url)),
      { print: context.output.print },
    ),
};

async function apply({ service, output }: CommandContext, url: string): Promise<ExitCode> {
  const applied = await service.migrate(url);
  for (const name of applied) output.print(`Applied: ${name}`);
  output.print(applied.length === 0 ? 'No migration was pending.' : `Applied ${applied.length} migrations.`);
  output.result({ applied });
  return exitCodes.ok;
}

async function printPending({ service, output }: CommandContext, url: string): Promise<ExitCode> {
  const pending = await service.pendingMigrations(url);
  for (const name of pending) output.print(`Pending: ${name}`);
  output.print(
    pending.length === 0 ? 'No migration is pending.' : `${pending.length} migrations are pending.`,
  );
  output.result({ pending });
  return pending.length === 0 ? exitCodes.ok : exitCodes.failed;
}

export const checkMigrations: CommandSyntax = {
  name: 'migrations check',
  summary: 'check that the migrations create the mapped tables',
  details:
    'For developers: applies all migrations to a temporary PostgreSQL and compares the result with the mapped tables. "migrate --check" prints what is pending on a database.',
  examples: [''],
  failure: 'The migrations cannot be checked',
  run: compareTables,
};

async function compareTables({ service, output }: CommandContext): Promise<ExitCode> {
  const { onTemporaryPostgres } = await import('../../embedded-postgres/temporary-postgres.js');
  const { pendingSchemaChanges } = await import('../../platform/database/migrations/migrate.js');
  const changes = await onTemporaryPostgres(async (url) => {
    await service.migrate(url);
    return pendingSchemaChanges(url, service.schema);
  });
  for (const sql of changes) output.print(`The mapped tables need: ${sql}`);
  output.print(changes.length === 0 ? 'The migrations create the mapped tables.' : 'A migration is missing.');
  output.result({ missing: changes });
  return changes.length === 0 ? exitCodes.ok : exitCodes.failed;
}
