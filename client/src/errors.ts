import type { components } from './generated/schema.js';

/** The codes that the service documents. Later versions may add further ones. */
export type ErrorCode = components['schemas']['ErrorCode'];

/** A response of the service that is not a success. `message` says what to do next. */
export class ApiError<Code extends string = string> extends Error {
  override readonly name = 'ApiError';

  constructor(
    /** What went wrong, for programs. `unknown` if the response does not come from the service, e.g. from a proxy. */
    readonly code: Code,
    message: string,
    /** The HTTP status. */
    readonly status: number,
    /** The id by which the log of the service names the request. */
    readonly requestId: string | null,
  ) {
    super(message);
  }

  /** Whether the error has this code. */
  is<Wanted extends ErrorCode>(code: Wanted): this is ApiError<Wanted> {
    return (this.code as string) === code;
  }
}

/** No attempt got a whole response. Whether the service processed the request is unknown, unless it only reads. */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError';
}

/** Something took longer than the caller was willing to wait. */
export class WaitTimeoutError extends Error {
  override readonly name = 'WaitTimeoutError';
}

/** @param body the parsed body, or its text if it is not JSON */
export function apiErrorOf({ status, headers }: Response, body: unknown): ApiError {
  const { error, message } = isErrorBody(body)
    ? body
    : { error: 'unknown', message: `The response has the status ${status}, and is not one of the service.` };
  return new ApiError(error, message, status, headers.get('x-request-id'));
}

function isErrorBody(body: unknown): body is { error: string; message: string } {
  return typeof body === 'object' && body !== null && 'error' in body && 'message' in body;
}
