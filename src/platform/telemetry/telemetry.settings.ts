import { str } from 'envalid';
import { defineSettings, SettingsOf } from '../config/settings';
import { integer } from '../config/validators';

export const telemetrySettings = defineSettings({
  variables: {
    LOG_LEVEL: str({
      default: 'info',
      choices: ['debug', 'info', 'warn', 'error', 'silent'],
      desc: '`debug`, `info`, `warn`, `error` or `silent`.',
    }),
    METRICS_PORT: integer(
      0,
      65_535,
    )({
      default: undefined,
      desc: 'The port on which this process serves `GET /metrics` for Prometheus; 0 takes any free port. By default, it serves none.',
    }),
    METRICS_ADDRESS: str({
      default: 'localhost',
      desc: 'The address on which it listens for it. Metrics need no token: choose one that only the monitoring can reach.',
    }),
  },
  read: ({ LOG_LEVEL, METRICS_PORT, METRICS_ADDRESS }) => ({
    logLevel: LOG_LEVEL,
    /** Where metrics are served, or null. */
    metrics: METRICS_PORT === undefined ? null : { port: METRICS_PORT, address: METRICS_ADDRESS },
  }),
});

export type TelemetrySettings = SettingsOf<typeof telemetrySettings>;
