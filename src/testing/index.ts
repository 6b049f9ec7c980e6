/** The service as a test double, for tests of its clients and of extensions: all of it, on a temporary PostgreSQL. */
export { ApiClient, type ApiResponse } from './api-client';
export type { NewFault, ScriptedFault } from '../modules/testing';
export { startCountinghouse, TestService } from './test-service';
export type { TestServiceClock, TestServiceFaults, TestServiceOptions, TestUser } from './test-service';
