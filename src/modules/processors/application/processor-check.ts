import type { CheckContext, Finding, HealthCheck } from '../../../platform/config/health-check';
import { fault, ok } from '../../../platform/config/health-check';
import type { PaymentProcessor } from '../domain/payment-processor';
import { ProcessorError } from '../domain/processor-error';
import type { ProcessorsSettings } from '../processors.settings';
import { processorsSettings } from '../processors.settings';

/** Checks that the processor of the settings responds and accepts the key. Without a secret for its webhooks, the settings are invalid. */
export function processorCheck(
  create: (settings: ProcessorsSettings) => Promise<PaymentProcessor>,
): HealthCheck {
  return {
    name: 'processor',
    async run({ settings }: CheckContext): Promise<readonly Finding[]> {
      const processor = await create(settings.of(processorsSettings));
      const { name, testMode } = processor;
      try {
        await processor.verifyAccess();
        return [ok(`The processor ${name} can be used, in ${testMode ? 'test' : 'live'} mode.`)];
      } catch (error) {
        if (!(error instanceof ProcessorError)) throw error;
        return [error.permanent ? rejected(name, error.code) : silent(name, error.code)];
      }
    },
  };
}

function rejected(name: string, code: string): Finding {
  return fault(
    `The processor ${name} rejects the key (${code}).`,
    'Set the secret key that the dashboard of the processor shows, with the rights that the service needs.',
  );
}

function silent(name: string, code: string): Finding {
  return fault(
    `The processor ${name} does not respond (${code}).`,
    'Allow connections to it in the firewall, and look at its status page.',
  );
}
