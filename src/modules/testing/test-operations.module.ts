import { Module, OnModuleInit } from '@nestjs/common';
import { Clock } from '../../kernel/clock';
import { ConfigError } from '../../platform/config/settings';
import { ServiceModule } from '../../platform/service-module';
import { PaymentRequestsModule } from '../payment-requests/payment-requests.module';
import { PaymentProcessor } from '../processors';
import { ProcessorsModule } from '../processors/processors.module';
import { TestOperations } from './application/test-operations.service';
import { FaultScripts } from './domain/fault-scripts';
import { InitialState } from './domain/initial-state';
import { TestClock } from './domain/test-clock';
import { FaultHooks } from './http/fault-hooks';
import { TestOperationsController } from './http/test-operations.controller';
import { SqlInitialState } from './infrastructure/sql-initial-state';
import { testOperationsSettings } from './test-operations.settings';

/** What a test controls of the service. */
@Module({
  imports: [PaymentRequestsModule, ProcessorsModule],
  providers: [
    TestOperations,
    FaultHooks,
    FaultScripts,
    { provide: TestClock, useExisting: Clock },
    { provide: InitialState, useClass: SqlInitialState },
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
  isPartOf: ({ clock }) => clock instanceof TestClock,
};

export const testOperationsHttp: ServiceModule = {
  module: TestOperationsHttpModule,
  tags: [{ name: 'Test operations', description: 'Operations for tests. Only with `TEST_OPERATIONS`.' }],
  isPartOf: ({ settings, clock }) =>
    clock instanceof TestClock && settings.of(testOperationsSettings).enabled,
};
