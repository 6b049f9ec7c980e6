import { hashToken } from '../../../../src/modules/auth/domain/secret-tokens';
import { MINUTE_MS } from '../../../../src/kernel/clock';
import { EmailedLink, resetTokenError } from '../../../../src/modules/auth/password-resets/emailed-link';
import { LinkAddresses } from '../../../../src/modules/auth/password-resets/emailed-links.service';
import { passwordResetsSettings } from '../../../../src/modules/auth/password-resets/password-resets.settings';
import { PageAddress } from '../../../../src/platform/pages/pages.settings';

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
    const addressesWith = (variables: object) =>
      new LinkAddresses(
        new PageAddress(() => 'https://pay.example.com'),
        passwordResetsSettings.read({ PASSWORD_RESET_URL: '', ...variables }, { production: false }),
      );
    const own = addressesWith({ PASSWORD_RESET_URL: 'https://example.com/reset#' });
    expect(own.to('password_reset', 'abc')).toBe('https://example.com/reset#abc');
    expect(own.to('email_verification', 'abc')).toBe('https://pay.example.com/email-verification/abc');
    expect(addressesWith({}).to('password_reset', 'abc')).toBe('https://pay.example.com/password-reset/abc');
  });

  it('that is unknown has an error of its own', () => {
    expect(resetTokenError()).toMatchObject({ code: 'invalid_reset_token', status: 400 });
  });
});
