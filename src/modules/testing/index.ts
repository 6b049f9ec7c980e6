export { testOperationsSettings } from './test-operations.settings';
export { FaultHooks } from './http/fault-hooks';
export { TestOperations } from './application/test-operations.service';
export type { NewFault, ScriptedFault } from './domain/fault-scripts';
export { TestClock } from './domain/test-clock';
