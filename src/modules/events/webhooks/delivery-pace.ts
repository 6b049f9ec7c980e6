import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../kernel/clock';
import type { AttemptResult } from './webhook-sender';

/**
 * What is known of the speed of an endpoint, by which it gets places (see DeliveryScheduler). `new`: nothing yet. `slow`: it
 * was slow in the last ten minutes. `failing`: every attempt fails at present.
 */
export const paces = ['fast', 'new', 'slow', 'failing'] as const;
export type Pace = (typeof paces)[number];

/** An attempt that takes this long is slow, whatever its result. */
const SLOW_MS = 2 * SECOND_MS;

/** How long an endpoint counts as slow after a slow attempt. */
export const SLOW_PERIOD_MS = 10 * MINUTE_MS;

export function isSlow({ durationMs }: AttemptResult): boolean {
  return durationMs >= SLOW_MS;
}

/** The pauses between the attempts of one delivery, as Standard Webhooks proposes them: about three days in all. */
const RETRY_DELAYS_MS = [
  5 * SECOND_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  14 * HOUR_MS,
  18 * HOUR_MS,
  24 * HOUR_MS,
];

export const MAX_ATTEMPTS = RETRY_DELAYS_MS.length + 1;

/** An endpoint that has failed for this long is disabled. */
export const DISABLED_AFTER_MS = 3 * DAY_MS;

const FIRST_PAUSE_MS = 5 * SECOND_MS;
const MAX_PAUSE_MS = HOUR_MS;

/** Delays grow by up to this part, so that what failed at the same time is not attempted again at the same time. */
const JITTER = 0.1;

/** @param attempts how many attempts have failed @returns when the next one is due, or null after the last one */
export function nextAttemptAt(attempts: number, now: Date, random = Math.random): Date | null {
  const delayMs = RETRY_DELAYS_MS[attempts - 1];
  return delayMs === undefined ? null : later(now, delayMs, random);
}

/** @param failures how often in a row the endpoint has failed @returns until when it gets nothing */
export function pausedUntil(failures: number, now: Date, random = Math.random): Date {
  return later(now, Math.min(FIRST_PAUSE_MS * 2 ** (failures - 1), MAX_PAUSE_MS), random);
}

function later(now: Date, delayMs: number, random: () => number): Date {
  return new Date(now.getTime() + Math.round(delayMs * (1 + JITTER * random())));
}
