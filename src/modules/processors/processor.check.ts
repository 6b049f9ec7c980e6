import { fault, type Finding, type HealthCheck, ok } from '../../platform/config/health-check';
import { type InstallationMode, recordedMode } from './processors.repository';
import { type PaymentProcessor, ProcessorError } from './payment-processor';
import { type ProcessorsSettings, processorsSettings } from './processors.settings';

/** @param create the processor of the settings, which are invalid without a secret for its webhooks */
export function processorChecks(
  create: (settings: ProcessorsSettings) => Promise<PaymentProcessor>,
): readonly HealthCheck[] {
  return [
    {
      name: 'processor',
      run: async ({ settings }) => [await checkAccess(await create(settings.of(processorsSettings)))],
    },
    {
      name: 'mode',
      run: async ({ settings, query }) => {
        const recorded = query === null ? null : await recordedMode(query);
        return recorded === null
          ? []
          : [compareModes(recorded, await create(settings.of(processorsSettings)))];
      },
    },
  ];
}

/** Checks that the processor responds and accepts the key. */
async function checkAccess(processor: PaymentProcessor): Promise<Finding> {
  const { name, testMode } = processor;
  try {
    await processor.verifyAccess();
    return ok(`The processor ${name} can be used, in ${testMode ? 'test' : 'live'} mode.`);
  } catch (error) {
    if (!(error instanceof ProcessorError)) throw error;
    if (error.permanent)
      return fault(
        `The processor ${name} rejects the key (${error.code}).`,
        'Set the secret key that the dashboard of the processor shows, with the rights that the service needs.',
      );
    return fault(
      `The processor ${name} does not respond (${error.code}).`,
      'Allow connections to it in the firewall, and look at its status page.',
    );
  }
}

/** Checks that the database, which is in test mode or in live mode for ever, is in the mode of the processor. */
function compareModes(recorded: InstallationMode, { name, testMode }: PaymentProcessor): Finding {
  const mode = testMode ? 'test' : 'live';
  if (recorded === mode) return ok(`The database is in ${mode} mode, as is the processor.`);
  return fault(
    `The database is in ${recorded} mode, and the processor ${name} in ${mode} mode.`,
    'Correct PROCESSOR or its key, or use another database. The service does not start with this one.',
  );
}
