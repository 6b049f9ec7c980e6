import { Module, OnModuleInit } from '@nestjs/common';
import { Clock } from '../../kernel/clock';
import { ConfigError } from '../../platform/config/settings';
import { ServiceModule } from '../../platform/service-module';
import { PaymentRequestsModule } from '../payment-requests/payment-requests.module';
import { PaymentProcessor } from '../processors';
import { ProcessorsModule } from '../processors/processors.module';
import { FaultScripts } from './fault-scripts';
import { FaultHooks } from './faults.hooks';
import { InitialState } from './initial-state.repository';
import { TestClock } from './test-clock';
import { TestOperationsController } from './test-operations.controller';
import { TestOperations } from './test-operations.service';
import { testOperationsSettings } from './test-operations.settings';

/** What a test controls of the service. */
@Module({
  imports: [PaymentRequestsModule, ProcessorsModule],
  providers: [
    TestOperations,
    FaultHooks,
    FaultScripts,
    { provide: TestClock, useExisting: Clock },
    InitialState,
  ],
  exports: [TestOperations, FaultHooks],
})
class TestOperationsModule {}

/** The same over HTTP. */
@Module({
  imports: [TestOperationsModule, ProcessorsModule],
  controllers: [TestOperationsController],
})
class TestOperationsHttpModule implements OnModuleInit {
  constructor(private readonly processor: PaymentProcessor) {}

  onModuleInit(): void {
    if (!this.processor.testMode) {
      throw new ConfigError(
        'TEST_OPERATIONS: must be false with a processor that moves real money; it requires test mode',
      );
    }
  }
}

/** A service has them if its clock can be moved. */
export const testOperations: ServiceModule = {
  module: TestOperationsModule,
  settings: [testOperationsSettings],
  enabledWhen: ({ clock }) => clock instanceof TestClock,
};

export const testOperationsHttp: ServiceModule = {
  module: TestOperationsHttpModule,
  tags: [{ name: 'Test operations', description: 'Operations for tests. Only with `TEST_OPERATIONS`.' }],
  enabledWhen: ({ settings, clock }) =>
    clock instanceof TestClock && settings.of(testOperationsSettings).enabled,
};
