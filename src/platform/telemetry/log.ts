import pino from 'pino';

/** The logged fields of a request. The route is its pattern, since paths and queries may contain secrets. */
export interface RequestLine {
  readonly request_id: string;
  readonly method: string;
  readonly route: string;
  readonly status: number;
  readonly ms: number;
  readonly principal?: string;
}

/**
 * The service's log: one JSON object per line, with the fields named here. Error messages are not logged, since those of
 * drivers and libraries may contain passwords, tokens and personal data.
 */
export class Log {
  private readonly out: pino.Logger;

  constructor(level: string, destination?: pino.DestinationStream) {
    const options = { level, base: null, timestamp: pino.stdTimeFunctions.isoTime };
    this.out = destination ? pino(options, destination) : pino(options);
  }

  request(line: RequestLine): void {
    this.out.info(line, 'request');
  }

  notice(message: string): void {
    this.out.info(message);
  }

  /** Logs an unexpected error. */
  failure(what: string, error: unknown, requestId?: string): void {
    this.out.error({ ...(requestId && { request_id: requestId }), error: describe(error) }, what);
  }
}

/** Describes an error by its kind and stack, without its message. */
function describe(error: unknown): object {
  if (!(error instanceof Error)) return { name: typeof error };
  const { code } = ((error as { driverError?: unknown }).driverError ?? error) as { code?: unknown };
  const frames = (error.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line));
  return {
    name: error.name,
    ...(typeof code === 'string' && { code }),
    at: frames.slice(0, 12).map((line) => line.trim()),
  };
}
