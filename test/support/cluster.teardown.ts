import { rmSync } from 'node:fs';
import { TestCluster } from './cluster.setup';

export default async function tearDown(): Promise<void> {
  const { cluster } = globalThis as { cluster?: TestCluster };
  if (cluster === undefined) return;
  await cluster.postgres?.stop();
  rmSync(cluster.folder, { recursive: true, force: true });
}
