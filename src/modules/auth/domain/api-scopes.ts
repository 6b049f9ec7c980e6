import { DomainError } from '../../../kernel/domain-error';
import type { ApiScope } from '../../../platform/config/api-scopes';
import type { Principal } from './principal';

/** The wide scopes of the service itself, each with the narrow ones that it contains. */
const contents = {
  'transactions:read': ['requests:read'],
  'transactions:write': ['credits:write', 'refunds:write'],
  'payments:read': ['payment_requests:read', 'subscriptions:read'],
  'payments:write': ['payment_requests:write', 'subscriptions:write'],
  webhooks: ['events:read', 'webhooks:read', 'webhooks:write'],
} as const satisfies Record<string, readonly string[]>;

/** An operation names the scope that it needs; one without a scope is closed to API keys. */
export const coreScopes: readonly ApiScope[] = [
  ...Object.entries(contents).flatMap(([within, narrow]) => [
    { name: within },
    ...narrow.map((name) => ({ name, within })),
  ]),
  // Every key reads its account, so that it learns the id and the currency that its requests need.
  { name: 'account:read', inEveryKey: true },
];

/** @throws DomainError `forbidden` for an API key with none of the scopes; a session has all */
export function assertAnyScope(principal: Pick<Principal, 'scopes'>, sufficient: readonly string[]): void {
  if (principal.scopes === null || sufficient.some((scope) => principal.scopes!.includes(scope))) return;
  throw new DomainError(
    'forbidden',
    `The API key lacks the scope ${sufficient.join(' or ')}. Use a key that has it.`,
  );
}
