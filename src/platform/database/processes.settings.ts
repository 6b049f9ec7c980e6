import { bool } from 'envalid';
import { availableParallelism } from 'node:os';
import { defineSettings, integer, type SettingsOf } from '../config/settings';

export const processesSettings = defineSettings({
  variables: {
    WEB_CONCURRENCY: integer(
      1,
      256,
    )({
      default: 1,
      desc: 'The number of processes that serve requests on the port. What is counted for a replica holds for each of them.',
    }),
    RUN_WORKER: bool({
      default: true,
      desc: 'Whether this process runs background work; `npm run start:worker` runs it in a separate process.',
    }),
  },
  read: ({ WEB_CONCURRENCY, RUN_WORKER }) => ({
    runWorker: RUN_WORKER,
    count: WEB_CONCURRENCY,
    /** The cores that each process may use for password hashes. */
    coresOfEach: Math.max(1, Math.floor(availableParallelism() / WEB_CONCURRENCY)),
  }),
});

export type ProcessesSettings = SettingsOf<typeof processesSettings>;
