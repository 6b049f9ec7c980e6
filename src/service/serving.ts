import { testOperationsSettings } from '../modules/testing';
import type { Settings } from '../platform/config/settings';
import { ConfigError } from '../platform/config/settings';
import { processesSettings } from '../platform/database/processes.settings';
import { Log } from '../platform/telemetry/log';
import { MetricsServer, MetricsOfProcesses } from '../platform/telemetry/metrics';
import { telemetrySettings } from '../platform/telemetry/telemetry.settings';
import type { RunningService } from './application';
import { ServerProcesses } from './server-processes';
import { startDatabase } from './service-database';

interface RunningProcesses extends Pick<RunningService, 'url' | 'metricsUrl' | 'firstAdmin'> {
  /** @returns whether all processes have completed their requests */
  stop(): Promise<boolean>;
}

/**
 * Starts WEB_CONCURRENCY server processes. This process serves no requests: it runs the embedded PostgreSQL, if there is
 * no other, and the metrics.
 * @throws ConfigError when a process cannot start
 */
export async function startProcesses(
  settings: Settings,
  print: (line: string) => void,
): Promise<RunningProcesses> {
  if (settings.of(testOperationsSettings).enabled)
    throw new ConfigError(
      'TEST_OPERATIONS: must be false with WEB_CONCURRENCY above 1: each process has its own clock',
    );
  const { logLevel, metrics: metricsSettings } = settings.of(telemetrySettings);
  const database = await startDatabase(settings, print);
  const processes = new ServerProcesses(settings.of(processesSettings).count, new Log(logLevel));
  const metrics = new MetricsServer(new MetricsOfProcesses(), metricsSettings);
  const stop = async (): Promise<boolean> => {
    const completed = await processes.stop();
    await metrics.stop();
    await database.stop();
    return completed;
  };
  try {
    const started = await processes.start();
    if (started === null)
      throw new ConfigError('WEB_CONCURRENCY: a server process has ended, with the message above');
    await metrics.start();
    return { ...started, metricsUrl: metrics.url, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
