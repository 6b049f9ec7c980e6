import { CommandContext, CommandSyntax } from '../command';
import { stopSignal } from '../stop-signal';

/** The process ends after this time even if accepted requests are not complete. */
const SHUTDOWN_MS = 25_000;

export const serve: CommandSyntax = {
  name: 'serve',
  summary: 'serve the API until SIGTERM or SIGINT',
  details:
    'Applies pending migrations and serves the API until SIGTERM or SIGINT. Without DATABASE_URL, it runs the embedded PostgreSQL. With RUN_WORKER=false, background work is left to "worker".',
  examples: ['', '--json'],
  failure: 'Countinghouse cannot start',
  run,
};

async function run({ service, terminal, output }: CommandContext): Promise<never> {
  const stopping = stopSignal();
  const { print } = output;
  const running = await service.start(terminal.env, { print });
  const { url, metricsUrl, firstAdmin } = running;
  print(`Countinghouse listens on ${url}`);
  print(`API documentation: ${url}/docs`);
  if (metricsUrl !== null) print(`Metrics: ${metricsUrl}`);
  if (firstAdmin === null)
    print('To create the first admin, start once with ADMIN_EMAIL and ADMIN_PASSWORD set');
  else if (firstAdmin.created) print(`The admin ${firstAdmin.email} was created`);
  else print(`A user with the email ${firstAdmin.email} exists already; it was not changed`);
  output.result({ url, metrics_url: metricsUrl, first_admin: firstAdmin });
  await stopping;
  setTimeout(() => process.exit(1), SHUTDOWN_MS).unref();
  await running.stop();
  process.exit(0);
}
