import { bool } from 'envalid';
import { defineSettings } from '../../platform/config/settings';

export const testOperationsSettings = defineSettings({
  variables: {
    TEST_OPERATIONS: bool({
      default: false,
      desc: 'Whether admins may move the clock, end payments, script faults and reset all data over HTTP (`/v1/test/...`). Only in test mode, with one process.',
    }),
  },
  read: ({ TEST_OPERATIONS }) => ({ enabled: TEST_OPERATIONS }),
});
