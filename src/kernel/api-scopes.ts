/** What an API key may do. An operation names the scope that it needs; one without a scope is closed to API keys. */
export const apiScopes = [
  'transactions:read',
  'transactions:write',
  'payments:read',
  'payments:write',
  'webhooks',
] as const;
export type ApiScope = (typeof apiScopes)[number];
