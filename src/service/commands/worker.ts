import type { Settings } from '../../platform/config/settings';
import { ConfigError } from '../../platform/config/settings';
import type { CommandContext, CommandSyntax, ExitCode } from '../command';
import { exitCodes } from '../command';
import { stopSignal } from '../stop-signal';

export const work: CommandSyntax = {
  name: 'worker',
  summary: 'run background work until SIGTERM or SIGINT',
  details:
    'Runs background work (settlements, expiries, subscriptions, emails, webhooks) apart from the processes that serve requests, which then have RUN_WORKER=false.',
  examples: [''],
  failure: 'The worker cannot start',
  run,
};

async function run({ service, terminal, output }: CommandContext): Promise<ExitCode> {
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
