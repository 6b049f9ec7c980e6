// Writes the OpenAPI document that the built service publishes: node scripts/openapi.mjs <file>
// It is asked of the service itself, on a PostgreSQL started for this. Build first.
import { mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { onThrowawayPostgres } from './throwaway-postgres.mjs';

const require = createRequire(import.meta.url);
const { SystemClock } = require('../dist/src/kernel/clock.js');
const { readConfig } = require('../dist/src/platform/config/config.js');
const { Log } = require('../dist/src/platform/telemetry/log.js');
const { startService } = require('../dist/src/service.js');

const config = readConfig({
  NODE_ENV: 'test',
  PORT: '0',
  JWT_SECRETS: 'it signs nothing as nobody logs in here',
});

const document = await onThrowawayPostgres(async (databaseUrl) => {
  const service = await startService({
    config,
    databaseUrl,
    clock: new SystemClock(),
    log: new Log('silent'),
  });
  try {
    return await (await fetch(`${service.url}/openapi.json`)).json();
  } finally {
    await service.stop();
  }
});

const target = process.argv[2];
mkdirSync(dirname(target), { recursive: true });
writeFileSync(target, `${JSON.stringify(document, null, 2)}\n`);
