import type { Finding, HealthCheck } from '../../../platform/config/health-check';
import { ok, warning } from '../../../platform/config/health-check';
import { mailSettings } from '../../../platform/mail/mail.settings';
import { authSettings } from '../auth.settings';

/** Checks that emails can be verified, where that is required. */
export const verificationCheck: HealthCheck = {
  name: 'verification',
  async run({ settings }): Promise<readonly Finding[]> {
    if (!settings.of(authSettings).requireVerifiedEmail) return [];
    if (settings.of(mailSettings) !== null) return [ok('Emails of users and accounts can be verified.')];
    return [
      warning(
        'Emails must be verified, and no email is sent: new accounts cannot create API keys, webhook endpoints or users.',
        'Set SMTP_URL, or REQUIRE_VERIFIED_EMAIL=false.',
      ),
    ];
  },
};
