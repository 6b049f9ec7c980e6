export { testOperationsSettings } from './test-operations.settings';
export { FaultHooks } from './faults.hooks';
export { TestOperations } from './test-operations.service';
export type { NewFault, ScriptedFault } from './fault-scripts';
export { TestClock } from './test-clock';
