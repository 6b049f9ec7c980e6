import pino from 'pino';

/** What may be said of a request. The route is its pattern: paths and queries may hold what must not be logged. */
export interface RequestLine {
  readonly request_id: string;
  readonly method: string;
  readonly route: string;
  readonly status: number;
  readonly ms: number;
  readonly principal?: string;
}

/**
 * The service's log: one JSON object a line, of fields that are named here. Nothing is logged as it comes, since
 * messages of drivers and libraries may carry passwords, tokens and people's data.
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

  /** Something that should not have happened. */
  failure(what: string, error: unknown, requestId?: string): void {
    this.out.error({ ...(requestId && { request_id: requestId }), error: describe(error) }, what);
  }
}

/** The kind of an error and where it was thrown, without its message. */
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
