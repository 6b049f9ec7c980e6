/** The tools for tests of extensions: the real service on a temporary PostgreSQL. */
export { ApiClient } from './api-client';
export type { ApiResponse } from './api-client';
export { TestClock } from './test-clock';
export { startTestService, TestService } from './test-service';
export type { TestServiceOptions, TestUser } from './test-service';
