/** What controllers of other rooms use. The contract in ../index.ts loads no framework. */
export { Caller, CallingDevice, deviceOf, IdempotencyKey } from './caller';
export type { Principal } from '../domain/principal';
