import { rmSync } from 'node:fs';
import { TestCluster } from './cluster.setup';

export default async function tearDown(): Promise<void> {
  const { cluster } = globalThis as { cluster?: TestCluster };
  await cluster?.postgres?.stop();
  if (cluster?.folder) rmSync(cluster.folder, { recursive: true, force: true });
}
