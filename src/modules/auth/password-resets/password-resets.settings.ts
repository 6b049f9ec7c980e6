import { makeValidator } from 'envalid';
import { ConfigError, defineSettings, type SettingsOf } from '../../../platform/config/settings';

/** The token follows immediately, as a part of the path, a parameter or a fragment. */
const resetAddress = makeValidator<string>((input) => {
  const parsed = URL.canParse(input) ? new URL(input) : null;
  if (parsed === null || !/^https?:$/.test(parsed.protocol) || !/[/=#]$/.test(input)) {
    throw new Error(
      'must be an address that ends with /, = or #, like https://app.example.com/new-password#',
    );
  }
  return input;
});

export const passwordResetsSettings = defineSettings({
  variables: {
    PASSWORD_RESET_URL: resetAddress({
      default: '',
      desc: "The address of your own page for new passwords, to which the token is appended, like `https://app.example.com/new-password#`. It sends the token to `POST /v1/auth/password-reset/confirmation`. By default the service's own page.",
    }),
  },
  read: ({ PASSWORD_RESET_URL }, { production }) => {
    if (production && /^http:/i.test(PASSWORD_RESET_URL)) {
      throw new ConfigError('PASSWORD_RESET_URL: must begin with https:// in production');
    }
    return {
      /** null for the service's own page. */
      pageAddress: PASSWORD_RESET_URL || null,
      /** Requests within an hour. Outside production, they leave room for test suites. */
      requests: production
        ? { emailAndNetwork: 3, network: 20, email: 10, owner: 5 }
        : { emailAndNetwork: 100, network: 1000, email: 1000, owner: 1000 },
    };
  },
});

export type PasswordResetsSettings = SettingsOf<typeof passwordResetsSettings>;
