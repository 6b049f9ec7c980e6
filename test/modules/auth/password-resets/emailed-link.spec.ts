import { MINUTE_MS } from '../../../../src/kernel/clock';
import {
  EmailedLink,
  hashToken,
  LinkAddresses,
  PasswordResetListeners,
  resetTokenError,
} from '../../../../src/modules/auth/password-resets/emailed-link';
import { WriteTx } from '../../../../src/platform/database/tx';

const noon = new Date('2026-03-01T12:00:00.000Z');

describe('A link in an email', () => {
  it.each([
    ['password_reset', 60],
    ['email_verification', 24 * 60],
  ] as const)('for %s works for %d minutes, and only a hash of its token is stored', (purpose, minutes) => {
    const { token, record } = EmailedLink.issue('usr_1', purpose, noon);
    expect(Buffer.from(token, 'base64url')).toHaveLength(32);
    expect(record).toEqual({
      tokenHash: hashToken(token),
      subjectId: 'usr_1',
      purpose,
      expiresAt: new Date(noon.getTime() + minutes * MINUTE_MS),
    });
    expect(record.tokenHash).not.toContain(token);
  });

  it('has the address of its page and the token', () => {
    const addresses = new LinkAddresses({
      password_reset: () => 'https://example.com/reset#',
      email_verification: () => 'https://example.com/verify#',
    });
    expect(addresses.to('password_reset', 'abc')).toBe('https://example.com/reset#abc');
    expect(addresses.to('email_verification', 'abc')).toBe('https://example.com/verify#abc');
  });

  it('that is unknown has an error of its own', () => {
    expect(resetTokenError()).toMatchObject({ code: 'invalid_reset_token', status: 400 });
  });
});

describe('PasswordResetListeners', () => {
  it('are told of each request', () => {
    const listeners = new PasswordResetListeners();
    const told: unknown[] = [];
    for (const name of ['one', 'other'])
      listeners.register({ name, requested: (_, request, at) => void told.push([name, request, at]) });
    const request = { emailKey: 'ada@example.com', language: 'en' };
    listeners.notifyRequested({} as WriteTx, request, noon);
    expect(told).toEqual(['one', 'other'].map((name) => [name, request, noon]));
  });
});
