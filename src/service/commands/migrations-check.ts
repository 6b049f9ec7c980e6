import { onTemporaryPostgres } from '../../embedded-postgres/temporary-postgres';
import type { CommandContext, CommandSyntax, ExitCode } from '../command';
import { exitCodes } from '../command';

export const checkMigrations: CommandSyntax = {
  name: 'migrations check',
  summary: 'check that the migrations create the mapped tables',
  details:
    'For developers: applies all migrations to a temporary PostgreSQL and compares the result with the mapped tables. "migrate --check" prints what is pending on a database.',
  examples: [''],
  failure: 'The migrations cannot be checked',
  run,
};

async function run({ service, output }: CommandContext): Promise<ExitCode> {
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
