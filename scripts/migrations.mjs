// Holds the migrations against the mapped tables and against migrations/schema.sql, on a PostgreSQL started for this.
//   node scripts/migrations.mjs check      fails when a migration is missing or the file is not what they lead to
//   node scripts/migrations.mjs snapshot   rewrites the file
// Runs the built service's own code: build first.
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { onThrowawayPostgres } from './throwaway-postgres.mjs';

const require = createRequire(import.meta.url);
const { migrate } = require('../dist/src/platform/database/migrate.js');
const { schema } = require('../dist/src/schema.js');
const { DataSource } = require('typeorm');

const SNAPSHOT = fileURLToPath(new URL('../migrations/schema.sql', import.meta.url));
const DESCRIPTION = fileURLToPath(new URL('./describe-schema.sql', import.meta.url));

/** Migrates an empty database and answers what TypeORM would still change, and the schema that is there. */
function inspectMigrations() {
  return onThrowawayPostgres(async (url) => {
    await migrate(url, schema);
    const dataSource = await new DataSource({ type: 'postgres', url, ...schema }).initialize();
    const { upQueries } = await dataSource.driver.createSchemaBuilder().log();
    const rows = await dataSource.query(readFileSync(DESCRIPTION, 'utf8'));
    await dataSource.destroy();
    return {
      missing: upQueries.map(({ query }) => query),
      text: rows.map(({ statement }) => `${statement};\n`).join('\n'),
    };
  });
}

function check({ missing, text }) {
  for (const query of missing) console.error(`The mapped tables need: ${query}`);
  if (missing.length > 0)
    console.error(
      'Generate the migration with: DATABASE_URL=... npm run migration:generate -- migrations/NameOfTheChange\n',
    );
  const differs = linesOnlyIn(text, readFileSync(SNAPSHOT, 'utf8'));
  for (const line of differs) console.error(line);
  if (differs.length > 0) {
    console.error('\nmigrations/schema.sql is not what the migrations lead to: npm run migrations:snapshot');
  }
  if (missing.length > 0 || differs.length > 0) process.exitCode = 1;
  else console.log('The migrations lead to the mapped tables and to migrations/schema.sql.');
}

function linesOnlyIn(now, before) {
  if (now === before) return [];
  const [present, recorded] = [now.split('\n'), before.split('\n')];
  return [
    ...recorded.filter((line) => !present.includes(line)).map((line) => `- ${line}`),
    ...present.filter((line) => !recorded.includes(line)).map((line) => `+ ${line}`),
    '(lines of migrations/schema.sql are marked -, those of the migrated database +)',
  ];
}

const result = await inspectMigrations();
if (process.argv[2] === 'snapshot') writeFileSync(SNAPSHOT, result.text);
else check(result);
