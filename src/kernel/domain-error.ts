/**
 * The error codes of the interface (section 7), `otp_required` and `precondition_failed`, with their HTTP status. This is
 * the only definition of the mapping.
 */
export const errorStatus = {
  invalid_request: 400,
  currency_mismatch: 400,
  unauthorized: 401,
  invalid_credentials: 401,
  otp_required: 401,
  insufficient_funds: 402,
  forbidden: 403,
  not_found: 404,
  account_not_found: 404,
  invalid_session: 404,
  email_exists: 409,
  conflict: 409,
  not_cancellable: 409,
  active_subscriptions: 409,
  precondition_failed: 412,
  rate_limited: 429,
  internal_error: 500,
  unavailable: 503,
} as const;

/** An error code that a module adds to those of the interface. */
export class CustomErrorCode {
  /**
   * @param name the value of `error` in the response
   * @param status the HTTP status, 400 to 499
   * @param description what the code means, for the OpenAPI document
   */
  constructor(
    readonly name: string,
    readonly status: number,
    readonly description: string,
  ) {}
}

export type InterfaceErrorCode = keyof typeof errorStatus;
export type ErrorCode = InterfaceErrorCode | CustomErrorCode;

/**
 * An expected error, with a message that states what the caller can do next.
 * Any other exception is a defect and results in `internal_error`.
 */
export class DomainError extends Error {
  /** The value of `error` in the response. */
  readonly code: string;
  /** The HTTP status of the response. */
  readonly status: number;

  constructor(
    private readonly definition: ErrorCode,
    message: string,
    /** Seconds until a retry may succeed; sent as the `Retry-After` header. */
    readonly retryAfterSeconds?: number,
    /** With the `cause`, which is logged and never sent. */
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = 'DomainError';
    this.code = typeof definition === 'string' ? definition : definition.name;
    this.status = typeof definition === 'string' ? errorStatus[definition] : definition.status;
  }

  /** The same error, which names the item of a list that it concerns, counted from 0. */
  inItem(index: number): DomainError {
    const { definition, message, retryAfterSeconds } = this;
    return new DomainError(definition, `Item ${index}: ${message}`, retryAfterSeconds, { cause: this });
  }
}

/** The error of a limit that is exceeded. @param tooMany a sentence that says of what there were too many */
export function rateLimited(tooMany: string, retryAfterSeconds: number): DomainError {
  const message = `${tooMany} Retry in ${retryAfterSeconds} seconds.`;
  return new DomainError('rate_limited', message, retryAfterSeconds);
}

/**
 * What has to hold of a resource for a change of it, which calls it with the resource while that is locked.
 * @throws DomainError `precondition_failed`
 */
export type Precondition = (resource: { readonly updatedAt: Date }) => void;
