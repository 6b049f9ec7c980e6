import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sharedSettings } from './fixture.mjs';
import { root, Server, Servers } from './processes.mjs';

/**
 * Builds what has changed, starts a PostgreSQL for `work` and the servers on it, and stops all of them.
 * @param otherCheckout see Servers
 */
export async function onBenchmarkDatabase(work, otherCheckout) {
  const folder = mkdtempSync(join(tmpdir(), 'countinghouse-bench-'));
  chmodSync(folder, 0o711); // root's server runs as another user, and would put its data elsewhere
  const dataDir = join(folder, 'data');
  let postgres, client;
  try {
    build({ ...process.env, DATA_DIR: dataDir, DATABASE_URL: '' });
    const require = createRequire(import.meta.url);
    const { startEmbeddedPostgres } = require('../../dist/src/embedded-postgres/embedded-postgres.js');
    postgres = await startEmbeddedPostgres({ dataDir, print: () => undefined });
    const { url } = postgres;
    client = new (require('pg').Client)({ connectionString: url });
    await client.connect();
    const secret = randomBytes(32).toString('hex');
    const settings = { ...sharedSettings, DATABASE_URL: url, JWT_SECRETS: secret };
    const servers = new Servers(settings, otherCheckout);
    await work({ servers, client, url, settings });
  } finally {
    await Server.stopAll();
    await client?.end();
    await postgres?.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Any command builds; this one creates the database and its tables. */
function build(env) {
  const args = [join(root, 'scripts', 'start.mjs'), 'migrate'];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: root, env, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${stdout}${stderr}`);
}
