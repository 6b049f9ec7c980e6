export { Countinghouse } from './client.js';
export type { ClientOptions, WaitOptions } from './client.js';
export type { Credentials, Login, Tokens } from './credentials.js';
export { ApiError, ConnectionError, WaitTimeoutError } from './errors.js';
export type { ErrorCode } from './errors.js';
export type { components, operations, paths } from './generated/schema.js';
export type { Fetch, RetryOptions } from './transport.js';
export { verifyWebhook, WebhookVerificationError } from './webhooks.js';
export type { WebhookOptions } from './webhooks.js';
