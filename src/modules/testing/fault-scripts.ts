import { DomainError } from '../../kernel/domain-error';

/**
 * `rate_limited` and `unavailable`: the operation responds with this error and does nothing. `lost_response`: it is
 * executed, and the connection is cut before the response. `slow_response`: it is executed, and the response is delayed.
 */
export const faults = ['rate_limited', 'unavailable', 'lost_response', 'slow_response'] as const;
export type Fault = (typeof faults)[number];

export const MAX_TIMES = 1_000;
export const MAX_DELAY_MS = 60_000;
export const MAX_RETRY_AFTER_SECONDS = 3_600;

export interface NewFault {
  /** The method and the path of the OpenAPI document, such as `GET /v1/users/{user_id}`, or the `operationId`. */
  readonly operation: string;
  readonly fault: Fault;
  /** How many requests it affects; 1 by default. */
  readonly times?: number;
  /** By how many milliseconds a slow response is delayed; 1,000 by default. */
  readonly delayMs?: number;
  /** The `Retry-After` of `rate_limited` and `unavailable`, in seconds; 1 by default. */
  readonly retryAfterSeconds?: number;
}

export interface ScriptedFault {
  /** Method and path. */
  readonly operation: string;
  readonly fault: Fault;
  /** How many further requests it affects. */
  readonly remaining: number;
  /** Null unless the fault is a slow response. */
  readonly delayMs: number | null;
  /** Null unless the fault is an error. */
  readonly retryAfterSeconds: number | null;
}

/** The faults that a test has scripted. Those of one operation take effect one after another. */
export class FaultScripts {
  /** Method and path of the operations, by what names them in a script. */
  private readonly operations = new Map<string, string>();
  private scripts: ScriptedFault[] = [];

  /** @param operation its method and path */
  addOperation(operation: string, operationId: string): void {
    this.operations.set(operation, operation).set(operationId, operation);
  }

  /** @throws DomainError `invalid_request` for an unknown operation or fault, and for a number that is not allowed */
  script({ operation: name, fault, times = 1, delayMs, retryAfterSeconds }: NewFault): ScriptedFault {
    const operation = this.operations.get(name);
    if (operation === undefined) {
      throw new DomainError(
        'invalid_request',
        `"${name}" is no operation. Name it as the OpenAPI document does, for example "POST /v1/transactions".`,
      );
    }
    if (!faults.includes(fault))
      throw new DomainError('invalid_request', `fault must be one of: ${faults.join(', ')}.`);
    const isSlow = fault === 'slow_response';
    const isError = fault === 'rate_limited' || fault === 'unavailable';
    assertInteger('times', times, 1, MAX_TIMES);
    assertOnlyFor('delay_ms', delayMs, isSlow, 'slow_response');
    assertOnlyFor('retry_after_seconds', retryAfterSeconds, isError, 'rate_limited and unavailable');
    const scripted = {
      operation,
      fault,
      remaining: times,
      delayMs: isSlow ? assertInteger('delay_ms', delayMs ?? 1_000, 1, MAX_DELAY_MS) : null,
      retryAfterSeconds: isError
        ? assertInteger('retry_after_seconds', retryAfterSeconds ?? 1, 1, MAX_RETRY_AFTER_SECONDS)
        : null,
    };
    this.scripts.push(scripted);
    return scripted;
  }

  /** Those that have not taken effect yet, in the order in which they were scripted. */
  list(): readonly ScriptedFault[] {
    return this.scripts;
  }

  clear(): void {
    this.scripts = [];
  }

  /** The fault of the next request for an operation, or null. It is used up by this call. */
  next(operation: string): ScriptedFault | null {
    const index = this.scripts.findIndex((script) => script.operation === operation);
    const found = this.scripts[index];
    if (found === undefined) return null;
    const remaining = found.remaining - 1;
    this.scripts = this.scripts.toSpliced(index, 1, ...(remaining > 0 ? [{ ...found, remaining }] : []));
    return found;
  }
}

function assertInteger(name: string, value: number, minimum: number, maximum: number): number {
  if (Number.isInteger(value) && value >= minimum && value <= maximum) return value;
  throw new DomainError('invalid_request', `${name} must be an integer from ${minimum} to ${maximum}.`);
}

function assertOnlyFor(name: string, value: unknown, isAllowed: boolean, faults: string): void {
  if (value !== undefined && !isAllowed)
    throw new DomainError('invalid_request', `${name} is only for ${faults}.`);
}
