import { displayText } from '../../kernel/text';

/** Why a developers' command failed. `message` says so in one line, and contains no secret. */
export class Failure extends Error {}

/** No whole response has arrived. */
export class NoResponse extends Failure {}

/** A response that is not a success. */
export class ResponseError extends Failure {
  constructor(
    readonly status: number,
    /** The code of the error; `unknown` when the response does not come from the service. */
    readonly code: string,
    message: string,
    /** How long the service asks to wait. */
    readonly retryAfterMs: number,
  ) {
    super(displayText(message));
  }
}

/** What is printed for an error: one line for a failure, the stack for a defect. */
export function describeFailure(error: unknown): string {
  if (error instanceof Failure) return error.message;
  return (error as Error | undefined)?.stack ?? String(error);
}
