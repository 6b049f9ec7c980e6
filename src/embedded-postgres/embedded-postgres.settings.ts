import { str } from 'envalid';
import { existsSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { fault, type Finding, type HealthCheck, ok, warning } from '../platform/config/health-check';
import { defineSettings } from '../platform/config/settings';

export const embeddedPostgresSettings = defineSettings({
  variables: {
    DATA_DIR: str({
      default: '.data',
      desc: 'The folder of the embedded PostgreSQL and of the generated secret. Its parent folder must exist.',
    }),
  },
  read: ({ DATA_DIR }) => ({ dataDir: DATA_DIR }),
});

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
