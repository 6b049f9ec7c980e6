/** Valid request bodies; `members` adds or overrides members. */
export function aTransaction(accountId: string, members: object = {}): Record<string, unknown> {
  return { account_id: accountId, amount: 1250, currency: 'USD', type: 'payment', ...members };
}

export function aPaymentRequest(accountId: string, members: object = {}): Record<string, unknown> {
  return {
    account_id: accountId,
    amount: 1250,
    currency: 'USD',
    customer_email: 'customer@example.com',
    ...members,
  };
}

export function aSubscription(accountId: string, members: object = {}): Record<string, unknown> {
  return aPaymentRequest(accountId, { interval: 'month', ...members });
}
