/** A call to the processor failed. Only a short code of its error is kept: the rest may contain the request. */
export class ProcessorError extends Error {
  constructor(
    /** The processor's code, for example `amount_too_small`. */
    readonly code: string,
    /** Whether a retry would fail too. Otherwise the outcome is unknown, and a retry determines it. */
    readonly permanent: boolean,
  ) {
    super(`The processor returned the error ${code}.`);
    this.name = 'ProcessorError';
  }
}

/** Whether an error suggests that the processor is down: then other calls would fail too. */
export function isProcessorOutage(error: unknown): boolean {
  return error instanceof ProcessorError && !error.permanent;
}
