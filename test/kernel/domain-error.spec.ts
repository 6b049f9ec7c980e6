import { CustomErrorCode, DomainError, errorStatus, rateLimited } from '../../src/kernel/domain-error';

describe('errorStatus (interface section 7)', () => {
  it('maps each error code to its HTTP status', () => {
    expect(errorStatus).toEqual({
      invalid_request: 400,
      currency_mismatch: 400,
      unauthorized: 401,
      invalid_credentials: 401,
      otp_required: 401,
      insufficient_funds: 402,
      forbidden: 403,
      not_found: 404,
      account_not_found: 404,
      invalid_session: 404,
      email_exists: 409,
      conflict: 409,
      not_cancellable: 409,
      active_subscriptions: 409,
      precondition_failed: 412,
      rate_limited: 429,
      internal_error: 500,
      unavailable: 503,
    });
  });
});

describe('DomainError', () => {
  it('carries a code, a message and the seconds until a retry', () => {
    expect(new DomainError('rate_limited', 'Wait.', 3)).toMatchObject({
      code: 'rate_limited',
      message: 'Wait.',
      retryAfterSeconds: 3,
    });
  });

  it.each([
    ['not_found', 'not_found', 404],
    [new CustomErrorCode('vetoed', 422, 'A module forbids it.'), 'vetoed', 422],
  ] as const)('has the name and the HTTP status of its code (case %#)', (code, name, status) => {
    expect(new DomainError(code, 'No.')).toMatchObject({ code: name, status });
  });

  it('of a limit says when to retry, in its message and for programs', () => {
    expect(rateLimited('Too many logins.', 30)).toMatchObject({
      code: 'rate_limited',
      message: 'Too many logins. Retry in 30 seconds.',
      retryAfterSeconds: 30,
    });
  });

  it('names the item of a list that it concerns, and keeps its cause', () => {
    const cause = new DomainError('rate_limited', 'Wait.', 3);
    const members = { code: 'rate_limited', message: 'Item 2: Wait.', retryAfterSeconds: 3, cause };
    expect(cause.inItem(2)).toMatchObject(members);
  });
});
