import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type * as cluster from '../cluster';
import { compiledFolder, compileService } from '../compiled';

/** What to do after the run. */
export let tearDown: () => Promise<void>;

/** Compiles the service and starts the database of a run. The suites find the folder of the run in TEST_RUN_FOLDER. */
export default async function setUp(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'countinghouse-test-'));
  // When tests run as root, the database runs as another user, who must be able to enter the folder.
  chmodSync(folder, 0o711);
  process.env['TEST_RUN_FOLDER'] = folder;
  compileService();
  const { startCluster } = (await import(join(compiledFolder(), 'test/support/cluster'))) as typeof cluster;
  const stopCluster = await startCluster(folder);
  tearDown = async () => {
    await stopCluster();
    rmSync(folder, { recursive: true, force: true });
  };
}
