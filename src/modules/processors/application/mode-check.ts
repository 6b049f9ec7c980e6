import type { CheckContext, CheckQuery, Finding, HealthCheck } from '../../../platform/config/health-check';
import { fault, ok } from '../../../platform/config/health-check';
import type { InstallationMode } from '../domain/installation.repository';
import type { PaymentProcessor } from '../domain/payment-processor';
import type { ProcessorsSettings } from '../processors.settings';
import { processorsSettings } from '../processors.settings';

/** Checks that the database, which is in test mode or in live mode for ever, is in the mode of the processor. */
export function modeCheck(
  create: (settings: ProcessorsSettings) => Promise<PaymentProcessor>,
  recordedMode: (query: CheckQuery) => Promise<InstallationMode | null>,
): HealthCheck {
  return {
    name: 'mode',
    async run({ settings, query }: CheckContext): Promise<readonly Finding[]> {
      const recorded = query === null ? null : await recordedMode(query);
      if (recorded === null) return [];
      const { name, testMode } = await create(settings.of(processorsSettings));
      const mode = testMode ? 'test' : 'live';
      if (recorded === mode) return [ok(`The database is in ${mode} mode, as is the processor.`)];
      return [
        fault(
          `The database is in ${recorded} mode, and the processor ${name} in ${mode} mode.`,
          'Correct PROCESSOR or its key, or use another database. The service does not start with this one.',
        ),
      ];
    },
  };
}
