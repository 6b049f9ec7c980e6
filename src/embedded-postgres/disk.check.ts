import { existsSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { type Finding, type HealthCheck, fault, ok, warning } from '../platform/config/health-check';
import { embeddedPostgresSettings } from './embedded-postgres.settings';

const GB = 1024 ** 3;
const ERROR_BYTES = 0.2 * GB;
const WARNING_BYTES = 2 * GB;

/** The free space for the embedded PostgreSQL, which stops when there is none. */
export const diskCheck: HealthCheck = {
  name: 'disk',
  async run({ settings }) {
    const { dataDir } = settings.of(embeddedPostgresSettings);
    if (!existsSync(dataDir)) return [];
    const { bavail, bsize } = await statfs(dataDir);
    return [describe(bavail * bsize)];
  },
};

function describe(freeBytes: number): Finding {
  const message = `${(freeBytes / GB).toFixed(1)} GB are free for DATA_DIR.`;
  const remedy = 'Free some space, or move the folder (docs/operations.md, Backup and restore).';
  if (freeBytes < ERROR_BYTES) return fault(message, remedy);
  return freeBytes < WARNING_BYTES ? warning(message, remedy) : ok(message);
}
