import { Module, OnApplicationBootstrap } from '@nestjs/common';
import { ConfigError } from '../../platform/config/settings';
import { PeriodicTasks } from '../../platform/jobs/periodic-tasks';
import { register } from '../../platform/register';
import { ServiceModule } from '../../platform/service-module';
import { modeCheck } from './application/mode-check';
import { processorCheck } from './application/processor-check';
import { ProcessorEvents } from './application/processor-events.service';
import { InitialStatePolicy } from './domain/initial-state';
import { InstallationRepository } from './domain/installation.repository';
import { PaymentProcessor } from './domain/payment-processor';
import { ProcessorEventHandlers } from './domain/processor-event-handlers';
import { ProcessorEventsRepository } from './domain/processor-events.repository';
import { ProcessorEventsRoutes } from './http/processor-events.routes';
import { createProcessor } from './infrastructure/processor.factory';
import { recordedMode, SqlInstallationRepository } from './infrastructure/sql-installation.repository';
import { SqlProcessorEventsRepository } from './infrastructure/sql-processor-events.repository';
import { processorsSettings } from './processors.settings';

/** The payment processor that moves the money, and the events that it sends. */
@Module({
  providers: [
    ProcessorEvents,
    ProcessorEventHandlers,
    ProcessorEventsRoutes,
    { provide: PaymentProcessor, inject: [processorsSettings.token], useFactory: createProcessor },
    { provide: InitialStatePolicy, useExisting: PaymentProcessor },
    { provide: ProcessorEventsRepository, useClass: SqlProcessorEventsRepository },
    { provide: InstallationRepository, useClass: SqlInstallationRepository },
    register(PeriodicTasks, [ProcessorEventsRepository], (events) => ({
      name: 'processed events',
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
  healthChecks: [processorCheck(createProcessor), modeCheck(createProcessor, recordedMode)],
};
