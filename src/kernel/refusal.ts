/**
 * Every code that an answer's `error` may carry, with its HTTP status (interface section 7).
 * This is the only place that states the mapping.
 */
export const refusalStatus = {
  invalid_request: 400,
  currency_mismatch: 400,
  unauthorized: 401,
  invalid_credentials: 401,
  insufficient_funds: 402,
  forbidden: 403,
  not_found: 404,
  account_not_found: 404,
  invalid_session: 404,
  email_exists: 409,
  conflict: 409,
  not_cancellable: 409,
  active_subscriptions: 409,
  rate_limited: 429,
  internal_error: 500,
  unavailable: 503,
} as const;

export type RefusalCode = keyof typeof refusalStatus;

/**
 * An expected "no": the caller can read the message and act on it.
 * Anything else that is thrown is a defect and is answered as `internal_error`.
 */
export class Refusal extends Error {
  constructor(
    readonly code: RefusalCode,
    message: string,
    /** Seconds after which a repeat may succeed; becomes the `Retry-After` header. */
    readonly retryAfterSeconds?: number,
  ) {
    super(message);
    this.name = 'Refusal';
  }
}
