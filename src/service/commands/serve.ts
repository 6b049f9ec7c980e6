import cluster from 'node:cluster';
import { SECOND_MS } from '../../kernel/clock';
import { ConfigError, type Settings } from '../../platform/config/settings';
import { httpSettings } from '../../platform/http/http.settings';
import { processesSettings } from '../../platform/database/processes.settings';
import { type CommandContext, type CommandSyntax, type ExitCode, exitCodes } from '../command';

/** The process ends this long after the delay even if accepted requests are not complete. */
const SHUTDOWN_MS = 25 * SECOND_MS;

/** A parent waits for its processes, which end within their time. */
const PARENT_SHUTDOWN_MS = SHUTDOWN_MS + SECOND_MS;

export const serve: CommandSyntax = {
  name: 'serve',
  summary: 'serve the API until SIGTERM or SIGINT',
  details:
    'Applies pending migrations and serves the API until SIGTERM or SIGINT. Without DATABASE_URL, it runs the embedded PostgreSQL. With RUN_WORKER=false, background work is left to "worker". WEB_CONCURRENCY is the number of processes.',
  examples: ['', '--json'],
  failure: 'Countinghouse cannot start',
  run: serveUntilSignal,
};

async function serveUntilSignal({ service, terminal, output }: CommandContext): Promise<never> {
  const stopping = stopSignal();
  const { print } = output;
  const settings = service.readSettings(terminal.env);
  const isParent = cluster.isPrimary && settings.of(processesSettings).count > 1;
  const starting = isParent
    ? (await import('../server-processes.js')).startProcesses(settings, print)
    : service.start(terminal.env, { print, attach: cluster.isWorker });
  const running = await starting.catch((error: unknown) => {
    cluster.worker?.disconnect(); // otherwise the connection to the parent keeps this process running
    throw error;
  });
  const { url, metricsUrl, firstAdmin } = running;
  if (cluster.isWorker) process.send!({ url, firstAdmin });
  else {
    print(`Countinghouse listens on ${url}`);
    print(`API documentation: ${url}/docs`);
    if (metricsUrl !== null) print(`Metrics: ${metricsUrl}`);
    if (firstAdmin === null)
      print('If there is no admin yet, start once with ADMIN_EMAIL and ADMIN_PASSWORD set');
    else if (firstAdmin.created) print(`The admin ${firstAdmin.email} was created`);
    else print(`A user with the email ${firstAdmin.email} exists already; it was not changed`);
    output.result({ url, metrics_url: metricsUrl, first_admin: firstAdmin });
  }
  await stopping;
  const { shutdownDelayMs } = settings.of(httpSettings);
  const shutdownMs = isParent ? PARENT_SHUTDOWN_MS : SHUTDOWN_MS;
  setTimeout(() => process.exit(1), shutdownDelayMs + shutdownMs).unref();
  process.exit((await running.stop()) === false ? 1 : 0);
}

export const work: CommandSyntax = {
  name: 'worker',
  summary: 'run background work until SIGTERM or SIGINT',
  details:
    'Runs background work (settlements, expiries, subscriptions, emails, webhooks) apart from the processes that serve requests, which then have RUN_WORKER=false.',
  examples: [''],
  failure: 'The worker cannot start',
  run: workUntilSignal,
};

async function workUntilSignal({ service, terminal, output }: CommandContext): Promise<ExitCode> {
  const { startWorker } = await import('../application.js');
  return service.run(
    terminal.env,
    async (app, settings) => {
      await assertOneProcess(settings);
      const stopping = stopSignal();
      await startWorker(app);
      output.print('The worker runs background work');
      output.result({ started: true });
      await stopping;
      return exitCodes.ok;
    },
    { print: output.print },
  );
}

/** @throws ConfigError with TEST_OPERATIONS, since a test moves the clock of the service and not that of a worker */
async function assertOneProcess(settings: Settings): Promise<void> {
  const { testOperationsSettings } = await import('../../modules/testing/index.js');
  if (settings.of(testOperationsSettings).enabled) {
    throw new ConfigError(
      'TEST_OPERATIONS: must be false for a worker, because each process has its own clock',
    );
  }
}

/**
 * Resolves at the first signal to stop. Further signals have no effect. A server process also stops when its parent has
 * ended, which would otherwise end it in the middle of its requests.
 */
function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    process.on('SIGTERM', () => resolve());
    process.on('SIGINT', () => resolve());
    const { worker } = cluster;
    worker?.once('disconnect', () => {
      worker.exitedAfterDisconnect = true; // otherwise Node.js exits at once
      resolve();
    });
  });
}
