/** What controllers of other rooms use. The contract in ../index.ts loads no framework. */
export { Caller, IdempotencyKey } from './caller';
export { CallingDevice, deviceOf } from './calling-device';
