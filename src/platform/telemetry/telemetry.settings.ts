import { num, str, url } from 'envalid';
import { ConfigError, defineSettings, integer, type SettingsOf } from '../config/settings';

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
    OTEL_EXPORTER_OTLP_ENDPOINT: url({
      default: undefined,
      desc: 'The OpenTelemetry collector that receives traces by OTLP over HTTP, like `http://localhost:4318`. By default, nothing is traced.',
    }),
    OTEL_TRACES_SAMPLER_ARG: num({
      default: 0.05,
      desc: 'The part of all requests that is traced, from 0 to 1.',
    }),
    OTEL_SERVICE_NAME: str({ default: 'countinghouse', desc: 'The name of the service in traces.' }),
  },
  read: ({ LOG_LEVEL, METRICS_PORT, METRICS_ADDRESS, ...otel }) => ({
    logLevel: LOG_LEVEL,
    /** Where metrics are served, or null. */
    metrics: METRICS_PORT === undefined ? null : { port: METRICS_PORT, address: METRICS_ADDRESS },
    /** Where traces are sent, or null. */
    tracing:
      otel.OTEL_EXPORTER_OTLP_ENDPOINT === undefined
        ? null
        : {
            endpoint: otel.OTEL_EXPORTER_OTLP_ENDPOINT,
            sampledPart: assertPart(otel.OTEL_TRACES_SAMPLER_ARG),
            serviceName: otel.OTEL_SERVICE_NAME,
          },
  }),
});

export type TelemetrySettings = SettingsOf<typeof telemetrySettings>;

function assertPart(part: number): number {
  if (part >= 0 && part <= 1) return part;
  throw new ConfigError('OTEL_TRACES_SAMPLER_ARG: must be a number from 0 to 1');
}
