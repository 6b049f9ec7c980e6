import { str } from 'envalid';
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
