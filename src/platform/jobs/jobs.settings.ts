import { bool } from 'envalid';
import { defineSettings } from '../config/settings';

export const jobsSettings = defineSettings({
  variables: {
    RUN_WORKER: bool({
      default: true,
      desc: 'Whether this process runs background work; `npm run start:worker` runs it in a separate process.',
    }),
  },
  read: ({ RUN_WORKER }) => ({ runWorker: RUN_WORKER }),
});
