import { MINUTE_MS, SECOND_MS } from '../../../kernel/clock';
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
