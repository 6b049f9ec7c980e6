// Compares the migrations with the mapped tables and with migrations/schema.sql, on a temporary PostgreSQL.
//   node scripts/migrations.mjs check      fails when a migration is missing or the file differs
//   node scripts/migrations.mjs snapshot   rewrites the file
// It uses the built service, so build first.
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

const require = createRequire(import.meta.url);
require('reflect-metadata');
const { onTemporaryPostgres } = require('../dist/src/embedded-postgres/temporary-postgres.js');
const { pendingSchemaChanges } = require('../dist/src/platform/database/migrations/migrate.js');
const { defineService } = require('../dist/src/service/define-service.js');
const { Client } = require('pg');

const SNAPSHOT = fileURLToPath(new URL('../migrations/schema.sql', import.meta.url));
const DESCRIPTION = fileURLToPath(new URL('./describe-schema.sql', import.meta.url));

/** Migrates an empty database. Returns the SQL that TypeORM would still run, and a description of the schema. */
function inspectMigrations() {
  return onTemporaryPostgres(async (url) => {
    const service = defineService();
    await service.migrate(url);
    const missing = await pendingSchemaChanges(url, service.schema);
    const client = new Client({ connectionString: url });
    await client.connect();
    const { rows } = await client.query(readFileSync(DESCRIPTION, 'utf8'));
    await client.end();
    return { missing, text: rows.map(({ statement }) => `${statement};\n`).join('\n') };
  });
}

function check({ missing, text }) {
  for (const query of missing) console.error(`The mapped tables need: ${query}`);
  if (missing.length > 0)
    console.error(
      'Draft the columns of the migration: DATABASE_URL=... npm run migration:generate -- migrations/NameOfTheChange\n' +
        'Create its indexes with createIndex (CONTRIBUTING.md, "Schema changes").\n',
    );
  const differs = linesOnlyIn(text, readFileSync(SNAPSHOT, 'utf8'));
  for (const line of differs) console.error(line);
  if (differs.length > 0) {
    console.error(
      '\nmigrations/schema.sql differs from the migrated database. Rewrite it: npm run migrations:snapshot',
    );
  }
  if (missing.length > 0 || differs.length > 0) process.exitCode = 1;
  else console.log('The migrations create the mapped tables and the schema in migrations/schema.sql.');
}

function linesOnlyIn(now, before) {
  if (now === before) return [];
  const [present, recorded] = [now.split('\n'), before.split('\n')];
  return [
    ...recorded.filter((line) => !present.includes(line)).map((line) => `- ${line}`),
    ...present.filter((line) => !recorded.includes(line)).map((line) => `+ ${line}`),
    '(- migrations/schema.sql, + migrated database)',
  ];
}

const result = await inspectMigrations();
if (process.argv[2] === 'snapshot') writeFileSync(SNAPSHOT, result.text);
else check(result);
