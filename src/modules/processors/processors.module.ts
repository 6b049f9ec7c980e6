import { Module, OnApplicationBootstrap } from '@nestjs/common';
import { MINUTE_MS } from '../../kernel/clock';
import { ConfigError } from '../../platform/config/settings';
import { PeriodicTasks } from '../../platform/jobs/periodic-tasks';
import { register } from '../../platform/register';
import { ServiceModule } from '../../platform/service-module';
import { MoneyMovers } from '../back-office';
import { ConsoleModule } from '../back-office/console/console.module';
import { ManualProcessor } from './manual.adapter';
import { InitialStatePolicy, PaymentProcessor } from './payment-processor';
import { ProcessorEventHandlers } from './processor-events';
import { ProcessorEventsRoutes } from './processor-events.routes';
import { ProcessorEvents } from './processor-events.service';
import { processorChecks } from './processor.check';
import { InstallationRepository, ProcessorEventsRepository } from './processors.repository';
import { processorsSettings, ProcessorsSettings } from './processors.settings';
import { SandboxProcessor } from './sandbox.adapter';

/** Creates the processor that the setting PROCESSOR names. */
async function createProcessor(settings: ProcessorsSettings): Promise<PaymentProcessor> {
  const { processor, settlementDelaySeconds, stripe } = settings;
  switch (processor) {
    case 'sandbox':
      return new SandboxProcessor(settlementDelaySeconds);
    case 'manual':
      return new ManualProcessor();
    case 'stripe': {
      // Stripe's client has hundreds of files, which other processors need not load.
      const { StripeProcessor } = await import('./stripe/stripe.adapter.js');
      return new StripeProcessor(stripe!); // set with PROCESSOR=stripe
    }
  }
}

/** The payment processor that moves the money, and the events that it sends. */
@Module({
  imports: [ConsoleModule],
  providers: [
    ProcessorEvents,
    ProcessorEventHandlers,
    ProcessorEventsRoutes,
    { provide: PaymentProcessor, inject: [processorsSettings.token], useFactory: createProcessor },
    { provide: InitialStatePolicy, useExisting: PaymentProcessor },
    ProcessorEventsRepository,
    InstallationRepository,
    register(MoneyMovers, [PaymentProcessor], ({ testMode }) => ({ name: 'processor', testMode })),
    register(PeriodicTasks, [ProcessorEventsRepository], (events) => ({
      name: 'processed events',
      intervalMs: MINUTE_MS,
      run: (now) => events.deleteOld(now),
    })),
  ],
  exports: [PaymentProcessor, InitialStatePolicy, ProcessorEventHandlers],
})
export class ProcessorsModule implements OnApplicationBootstrap {
  constructor(
    private readonly processor: PaymentProcessor,
    private readonly installation: InstallationRepository,
  ) {}

  /** A database stays in the mode of its first start, so that test money and real money never share one. */
  async onApplicationBootstrap(): Promise<void> {
    const mode = this.processor.testMode ? 'test' : 'live';
    const recorded = await this.installation.claimMode(mode);
    if (recorded !== mode) {
      throw new ConfigError(
        `PROCESSOR: the database is in ${recorded} mode, the processor in ${mode} mode; use another database`,
      );
    }
  }
}

export const processors: ServiceModule = {
  module: ProcessorsModule,
  settings: [processorsSettings],
  healthChecks: processorChecks(createProcessor),
};
