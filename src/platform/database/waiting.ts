import { DomainError } from '../../kernel/domain-error';
import { FairQueue } from '../../kernel/fair-queue';

/** How long work waits for other work with its key; the same as for a connection. */
export const MAX_WAIT_MS = 5_000;

/**
 * How long background work waits for an account, in its queue or for the lock: it is tried again later, and work of other
 * accounts may wait for its end.
 */
export const BACKGROUND_WAIT_MS = 1_000;

/** Bounds a queue, and so its memory. */
export const MAX_WAITING = 1_000;

/**
 * A queue of which `size` tasks with the same key run at a time. The others wait for their turn, and are rejected as
 * `unavailable` after 5 seconds, or when too many wait.
 */
export function queueByKey(size: number): FairQueue {
  return new FairQueue(Infinity, MAX_WAITING, busy, [size], MAX_WAIT_MS);
}

/**
 * The error of a request that has waited for too long, or that too many others precede.
 * @param options the last error of one that was attempted several times
 */
export function busy(options?: ErrorOptions): DomainError {
  return new DomainError('unavailable', 'The service is busy. Retry shortly.', 1, options);
}
