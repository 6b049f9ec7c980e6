import type { PaymentProcessor } from '../domain/payment-processor';
import type { ProcessorsSettings } from '../processors.settings';
import { ManualProcessor } from './manual.processor';
import { SandboxProcessor } from './sandbox.processor';

/** Creates the processor that the setting PROCESSOR names. */
export async function createProcessor(settings: ProcessorsSettings): Promise<PaymentProcessor> {
  const { processor, settlementDelaySeconds, stripe } = settings;
  switch (processor) {
    case 'sandbox':
      return new SandboxProcessor(settlementDelaySeconds);
    case 'manual':
      return new ManualProcessor();
    case 'stripe': {
      // Stripe's client has hundreds of files, which other processors need not load.
      const { StripeProcessor } = await import('./stripe/stripe.processor.js');
      return new StripeProcessor(stripe!); // set with PROCESSOR=stripe
    }
  }
}
