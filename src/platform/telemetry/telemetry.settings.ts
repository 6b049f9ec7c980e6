import { str } from 'envalid';
import { defineSettings } from '../config/settings';

export const telemetrySettings = defineSettings({
  variables: {
    LOG_LEVEL: str({
      default: 'info',
      choices: ['debug', 'info', 'warn', 'error', 'silent'],
      desc: '`debug`, `info`, `warn`, `error` or `silent`.',
    }),
  },
  read: ({ LOG_LEVEL }) => ({ logLevel: LOG_LEVEL }),
});
