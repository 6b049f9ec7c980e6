import { testOperationsSettings } from '../../modules/test-operations';
import { ConfigError, Settings } from '../../platform/config/settings';
import { assertPlaced } from '../../platform/database/citus/placement';
import { Database } from '../../platform/database/database';
import { JobQueue } from '../../platform/jobs/job-queue';
import { startBackgroundWork, startTelemetry } from '../application';
import { CommandContext, CommandSyntax, ExitCode, exitCodes } from '../command';
import { stopSignal } from '../stop-signal';

export const work: CommandSyntax = {
  name: 'worker',
  summary: 'run background work until SIGTERM or SIGINT',
  details:
    'Runs background work (settlements, expiries, subscriptions, emails, webhooks) apart from the processes that serve requests, which then have RUN_WORKER=false.',
  examples: [''],
  failure: 'The worker cannot start',
  run: ({ service, terminal, output }: CommandContext): Promise<ExitCode> =>
    service.run(
      terminal.env,
      async (app, settings) => {
        assertOneProcess(settings);
        await app.get(JobQueue).prepare();
        await assertPlaced(app.get(Database));
        await startTelemetry(app);
        const stopping = stopSignal();
        await startBackgroundWork(app);
        output.print('The worker runs background work');
        output.result({ started: true });
        await stopping;
        return exitCodes.ok;
      },
      { print: output.print },
    ),
};

/** @throws ConfigError with TEST_OPERATIONS, since a test moves the clock of the service and not that of a worker */
function assertOneProcess(settings: Settings): void {
  if (settings.of(testOperationsSettings).enabled) {
    throw new ConfigError(
      'TEST_OPERATIONS: must be false for a worker, because each process has its own clock',
    );
  }
}
