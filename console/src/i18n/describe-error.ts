import type { Messages } from './messages/en';

/** Codes whose texts say all: what the service says would only repeat them in English. */
const plainCodes: ReadonlySet<string> = new Set<keyof Messages['errors']['codes']>([
  'account_not_found',
  'active_subscriptions',
  'currency_mismatch',
  'cursor_expired',
  'email_exists',
  'internal_error',
  'invalid_credentials',
  'invalid_reset_token',
  'invalid_session',
  'not_cancellable',
  'not_found',
  'otp_required',
  'precondition_failed',
  'rate_limited',
  'unauthorized',
  'unavailable',
]);

/** What an error means, in the language of the console, and in English what the service adds to that, if anything. */
export function describeError(
  { title, codes }: Messages['errors'],
  { code, message }: { readonly code: string; readonly message: string },
): { readonly text: string; readonly details: string | null } {
  const texts: Readonly<Record<string, string>> = codes;
  const text = Object.hasOwn(texts, code) ? texts[code]! : title;
  return { text, details: plainCodes.has(code) ? null : message };
}
