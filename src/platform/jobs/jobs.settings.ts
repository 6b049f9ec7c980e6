import { bool } from 'envalid';
import { defineSettings } from '../config/settings';

/** The connections that the job queue opens beside the pool. One of them listens for notifications. */
export const QUEUE_CONNECTIONS = 5;

export const jobsSettings = defineSettings({
  variables: {
    RUN_WORKER: bool({
      default: true,
      desc: 'Whether this process runs background work; `npm run start:worker` runs it in a separate process.',
    }),
  },
  read: ({ RUN_WORKER }) => ({ runWorker: RUN_WORKER }),
});
