// Generated from the OpenAPI document by `npm run client:generate`. Do not edit.

/** The paths whose `POST` accepts an `Idempotency-Key`. */
export const creations: ReadonlySet<string> = new Set([
  '/v1/approvals',
  '/v1/saved-views',
  '/v1/users',
  '/v1/user-invitations',
  '/v1/accounts',
  '/v1/account-invitations',
  '/v1/api-keys',
  '/v1/accounts/{account_id}/notes',
  '/v1/users/{user_id}/notes',
  '/v1/accounts/{account_id}/adjustments',
  '/v1/webhooks',
  '/v1/transactions',
  '/v1/transactions/batch',
  '/v1/transfers',
  '/v1/transfers/{transfer_id}/reversal',
  '/v1/transfers/batch',
  '/v1/payments',
  '/v1/payments/{payment_id}/unapplied-payments',
  '/v1/subscriptions',
  '/v1/payments/{payment_id}/email',
]);
