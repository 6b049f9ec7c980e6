import pino from 'pino';

/** The logged fields of a request. The route is its pattern, since paths and queries may contain secrets. */
export interface RequestLine {
  readonly request_id: string;
  readonly method: string;
  readonly route: string;
  readonly status: number;
  readonly ms: number;
  readonly principal?: string;
  /** The connection was closed before the response was sent. The status is the one that it would have had. */
  readonly aborted?: true;
}

/** Lines are written together, at the latest after this time: a write costs as much as several lines. */
const WRITE_WITHIN_MS = 100;
const WRITE_AT_BYTES = 3_072;

/** Lines that cannot be written wait, up to this size. Those beyond it are lost. */
const MAX_WAITING_BYTES = 1_000_000;

/** A pipe takes this many bytes whole (PIPE_BUF), so that the lines of several processes do not mix. */
const WHOLE_BYTES = 4_096;

/** Where lines go. One that collects lines writes them at `flush`. */
export interface LogLines {
  write(line: string): void;
  flush?(): void;
}

/**
 * Opens a file for log lines. Of a process that is killed, the lines of the last moment are lost; of one that ends by
 * itself, also by an error, none are. A full disk or a closed pipe does not end the process.
 * @param file a path or a file descriptor
 */
export function logFile(file: string | number): LogLines {
  const lines = pino.destination({
    dest: file,
    sync: true,
    minLength: WRITE_AT_BYTES,
    maxLength: MAX_WAITING_BYTES,
    maxWrite: WHOLE_BYTES,
    periodicFlush: WRITE_WITHIN_MS,
  });
  let fails = false;
  lines.on('error', () => (fails = true));
  lines.on('write', () => (fails = false));
  // `flushSync` repeats a write that fails without end.
  process.once('exit', () => fails || lines.flushSync());
  return lines;
}

let openedOutput: LogLines | undefined;

function standardOutput(): LogLines {
  return (openedOutput ??= logFile(process.stdout.fd));
}

/**
 * The service's log: one JSON object per line, with the fields named here. Error messages are not logged, since those of
 * drivers and libraries may contain passwords, tokens and personal data.
 */
export class Log {
  private readonly out: pino.Logger;

  /**
   * @param lines the standard output by default
   * @param showsMessages whether messages of errors are logged nevertheless: for a service that has no data but a test's
   */
  constructor(
    level: string,
    private readonly lines: LogLines = standardOutput(),
    private readonly showsMessages = false,
  ) {
    this.out = pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, lines);
  }

  request(line: RequestLine): void {
    this.out.info(line, 'request');
  }

  /** Logs an event. It is written at once. */
  notice(message: string, requestId?: string): void {
    this.out.info({ ...(requestId && { request_id: requestId }) }, message);
    this.writeCollected();
  }

  /** Logs an unexpected error. It is written at once. */
  failure(what: string, error: unknown, requestId?: string): void {
    this.out.error(
      { ...(requestId && { request_id: requestId }), error: describe(error, this.showsMessages) },
      what,
    );
    this.writeCollected();
  }

  /** Unlike pino's own flush, this neither adds listeners until the next tick nor flushes the file to disk. */
  private writeCollected(): void {
    this.lines.flush?.();
  }
}

/** How many causes of an error are described. */
const MAX_CAUSES = 3;

/** Describes an error and its causes by kind and stack. */
function describe(error: unknown, showsMessages: boolean, maxCauses = MAX_CAUSES): object {
  if (!(error instanceof Error)) return { name: typeof error };
  const { code } = ((error as { driverError?: unknown }).driverError ?? error) as { code?: unknown };
  const frames = (error.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line));
  return {
    name: error.name,
    ...(showsMessages && { message: error.message }),
    ...(typeof code === 'string' && { code }),
    at: frames.slice(0, 12).map((line) => line.trim()),
    ...(error.cause !== undefined &&
      maxCauses > 0 && { cause: describe(error.cause, showsMessages, maxCauses - 1) }),
  };
}
