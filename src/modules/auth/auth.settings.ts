import { bool } from 'envalid';
import { defineSettings, integer, type SettingsOf } from '../../platform/config/settings';

const PRODUCTION_RECENT_LOGIN_SECONDS = 900;

export const authSettings = defineSettings({
  variables: {
    ACCESS_TOKEN_TTL: integer(
      1,
      86_400,
    )({ default: 900, desc: 'The lifetime of an access token, in seconds.' }),
    REFRESH_REUSE_GRACE_SECONDS: integer(
      0,
      3600,
    )({
      default: 10,
      desc: 'The time in which a used refresh token may be used again, in seconds. A difference between the clocks of replicas shortens or extends it.',
    }),
    RECENT_LOGIN_SECONDS: integer(
      0,
      86_400,
    )({
      default: undefined,
      desc: 'How recent the login must be, in seconds, for what could take over a user or an account, or gives or takes access; 0 disables the check. By default 900 in production and disabled elsewhere.',
    }),
    BCRYPT_COST: integer(
      4,
      16,
    )({
      default: 10,
      desc: 'The work factor of password hashes, from 4 to 16. After it is raised, a login re-hashes the password.',
    }),
    SIGN_UP_LIMIT: integer(
      0,
      1_000_000,
    )({
      default: undefined,
      desc: 'Sign-ups and changes of emails of one client network in 15 minutes; 0 disables the limit. By default 100 in production and 10,000 elsewhere.',
    }),
    REQUIRE_ADMIN_OTP: bool({
      default: undefined,
      desc: 'Whether an admin or a support person without a second factor can only set one up. By default `true` in production and `false` elsewhere.',
    }),
    REQUIRE_VERIFIED_EMAIL: bool({
      default: undefined,
      desc: 'Whether an email must be verified before API keys, webhook endpoints and users of its account, and a second factor, can be created. Verification needs a mail server (`SMTP_URL`). By default `true` in production and `false` elsewhere.',
    }),
  },
  read: (values, { production }) => ({
    accessTokenSeconds: values.ACCESS_TOKEN_TTL,
    refreshReuseGraceSeconds: values.REFRESH_REUSE_GRACE_SECONDS,
    bcryptCost: values.BCRYPT_COST,
    recentLoginSeconds: values.RECENT_LOGIN_SECONDS ?? (production ? PRODUCTION_RECENT_LOGIN_SECONDS : 0),
    requireAdminOtp: values.REQUIRE_ADMIN_OTP ?? production,
    requireVerifiedEmail: values.REQUIRE_VERIFIED_EMAIL ?? production,
    /** Failed logins within 15 minutes. Outside production, they leave room for test suites. */
    failedLogins: production
      ? { emailAndNetwork: 10, email: 100, network: 100 }
      : { emailAndNetwork: 100, email: 1000, network: 1000 },
    /** Live sessions of one user or account. Outside production, they leave room for test suites. */
    maxSessions: production ? 100 : 10_000,
    signUpLimit: values.SIGN_UP_LIMIT ?? (production ? 100 : 10_000),
  }),
});

export type AuthSettings = SettingsOf<typeof authSettings>;
