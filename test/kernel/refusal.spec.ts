import { Refusal, refusalStatus } from '../../src/kernel/refusal';

describe('The codes of interface section 7', () => {
  it('have these statuses, and there are no others', () => {
    expect(refusalStatus).toEqual({
      invalid_request: 400,
      currency_mismatch: 400,
      unauthorized: 401,
      invalid_credentials: 401,
      insufficient_funds: 402,
      forbidden: 403,
      not_found: 404,
      account_not_found: 404,
      invalid_session: 404,
      email_exists: 409,
      conflict: 409,
      not_cancellable: 409,
      active_subscriptions: 409,
      rate_limited: 429,
      internal_error: 500,
      unavailable: 503,
    });
  });

  it('come with a message', () => {
    expect(new Refusal('rate_limited', 'Wait.', 3)).toMatchObject({
      code: 'rate_limited',
      message: 'Wait.',
      retryAfterSeconds: 3,
    });
  });
});
