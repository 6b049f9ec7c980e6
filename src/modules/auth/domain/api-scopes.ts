import { DomainError } from '../../../kernel/domain-error';
import type { Principal } from './principal';

/** The wide scopes, each with the narrow ones that it contains. Together they open all that API keys may do. */
const contents = {
  'transactions:read': ['requests:read'],
  'transactions:write': ['credits:write', 'refunds:write'],
  'payments:read': ['payment_requests:read', 'subscriptions:read'],
  'payments:write': ['payment_requests:write', 'subscriptions:write'],
  webhooks: ['events:read', 'webhooks:read', 'webhooks:write'],
} as const;

type WideScope = keyof typeof contents;

/** Every key reads its account, so that it learns the id and the currency that its requests need. */
const OF_EVERY_KEY = 'account:read';

export const defaultScopes = Object.keys(contents) as readonly WideScope[];

/** What an API key may do. An operation names the scope that it needs; one without a scope is closed to API keys. */
export const apiScopes = [...defaultScopes, ...Object.values(contents).flat(), OF_EVERY_KEY] as const;
export type ApiScope = (typeof apiScopes)[number];

/** The scopes of a key with those that they contain. */
export function effectiveScopes(granted: readonly string[]): readonly string[] {
  const contained = granted.flatMap((scope) => contents[scope as WideScope] ?? []);
  return [...new Set([...granted, ...contained, OF_EVERY_KEY])];
}

/** @throws DomainError `forbidden` for an API key with none of the scopes; a session has all */
export function assertAnyScope(principal: Pick<Principal, 'scopes'>, sufficient: readonly string[]): void {
  if (principal.scopes === null || sufficient.some((scope) => principal.scopes!.includes(scope))) return;
  throw new DomainError(
    'forbidden',
    `The API key lacks the scope ${sufficient.join(' or ')}. Use a key that has it.`,
  );
}
