import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const require = createRequire(import.meta.url);
require('reflect-metadata');
const { startEmbeddedPostgres } = require('../dist/src/platform/database/embedded/embedded-postgres.js');

/** Runs `work` with the address of an empty PostgreSQL, which is gone afterwards. */
export async function onThrowawayPostgres(work) {
  const folder = mkdtempSync(join(tmpdir(), 'countinghouse-'));
  try {
    const postgres = await startEmbeddedPostgres({ dataDir: join(folder, 'data'), fsync: false });
    try {
      return await work(postgres.url);
    } finally {
      await postgres.stop();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
