import { MINUTE_MS } from '../../../kernel/clock';

/**
 * A customer's visit to the page of a provider, kept with the payment request. `processing`: the customer is done, and
 * the money is on its way; `over`: there is nothing more to wait for.
 */
export interface ProviderCheckout {
  /** Counts them, from 1: the same attempt is the same one at the provider. */
  readonly attempt: number;
  /** The provider's name of it; null until the provider has answered. */
  readonly id: string | null;
  readonly state: 'open' | 'processing' | 'over';
  /** Who asks for the money, as it is shown there. */
  readonly title: string;
  /** ISO 8601. */
  readonly expiresAt: string;
}

/** A visit lasts an hour, so that little can be paid that was canceled meanwhile; Stripe takes none below 30 minutes. */
const LONGEST_MS = 60 * MINUTE_MS;
const SHORTEST_MS = 32 * MINUTE_MS;

/** By how much the clocks of both sides may differ. */
export const SLACK_MS = 2 * MINUTE_MS;

/** How often the provider is asked after money that is on its way, for the case that its own word gets lost. */
export const POLL_MS = 6 * 60 * MINUTE_MS;

export function isLive(checkout: ProviderCheckout | null): checkout is ProviderCheckout {
  return checkout?.state === 'open' || checkout?.state === 'processing';
}

/** When a visit that begins now is to end: with the payment request, within the provider's bounds. */
export function checkoutExpiry(requestExpiresAt: Date, now: Date): Date {
  const left = requestExpiresAt.getTime() - now.getTime();
  return new Date(now.getTime() + Math.min(Math.max(left, SHORTEST_MS), LONGEST_MS));
}
