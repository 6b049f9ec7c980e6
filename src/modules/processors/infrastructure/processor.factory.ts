import { PaymentProcessor } from '../domain/payment-processor';
import { ProcessorsSettings } from '../processors.settings';
import { ManualProcessor } from './manual.processor';
import { SandboxProcessor } from './sandbox.processor';
import { StripeProcessor } from './stripe/stripe.processor';

/** Creates the processor that the setting PROCESSOR names. */
export function createProcessor(settings: ProcessorsSettings): PaymentProcessor {
  const { processor, settlementDelaySeconds, stripe } = settings;
  switch (processor) {
    case 'sandbox':
      return new SandboxProcessor(settlementDelaySeconds);
    case 'manual':
      return new ManualProcessor();
    case 'stripe':
      return new StripeProcessor(stripe!); // set with PROCESSOR=stripe
  }
}
