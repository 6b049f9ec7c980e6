import { makeValidator, str, url } from 'envalid';
import type { SettingsOf } from '../../platform/config/settings';
import { ConfigError, defineSettings, integer, secret, secretList } from '../../platform/config/settings';

/** The message never quotes the key. */
const stripeKey = makeValidator<string>((input) => {
  if (!/^(sk|rk)_(test|live)_\w+$/.test(input)) {
    throw new Error('must be a secret key of Stripe: sk_live_..., rk_live_... or, for tests, sk_test_...');
  }
  return input;
});

const processors = ['sandbox', 'manual', 'stripe'] as const;

export interface StripeSettings {
  readonly secretKey: string;
  readonly webhookSecrets: readonly string[];
  /** null for Stripe's own. */
  readonly apiUrl: string | null;
  readonly checkoutOrigin: string;
  readonly testMode: boolean;
}

export const processorsSettings = defineSettings({
  variables: {
    PROCESSOR: str({
      default: '',
      choices: [...processors, ''],
      desc: 'The payment processor: `sandbox` (test mode; the default outside production), `manual` (an admin or a platform system reports outcomes) or `stripe`. Required in production.',
    }),
    SETTLEMENT_DELAY_SECONDS: integer(
      0,
      31_536_000,
    )({ default: 60, desc: 'With `PROCESSOR=sandbox`: the time after which a payment settles, in seconds.' }),
    STRIPE_SECRET_KEY: secret(
      stripeKey({
        default: '',
        desc: 'With `PROCESSOR=stripe`: the secret key or a restricted key. A test key puts the database in test mode and is rejected in production.',
      }),
    ),
    STRIPE_WEBHOOK_SECRET: secret(
      secretList(
        (value) => /^whsec_\S{8,}$/.test(value),
        'must be one or more signing secrets (whsec_...), separated by commas',
      )({
        default: [],
        desc: 'With `PROCESSOR=stripe`: the signing secret of the webhook endpoint; several, comma-separated, while it is rotated.',
      }),
    ),
    STRIPE_API_URL: url({
      default: '',
      desc: "The address of Stripe's API, for tests with a test key; by default Stripe's own.",
    }),
    STRIPE_CHECKOUT_URL: url({
      default: 'https://checkout.stripe.com',
      desc: "The address of Stripe's payment page; change it only if you have a custom domain at Stripe.",
    }),
  },
  read: (values, { production }) => {
    if (production && !values.PROCESSOR) {
      throw new ConfigError('PROCESSOR: must be set in production, to sandbox, manual or stripe');
    }
    return {
      processor: (values.PROCESSOR || 'sandbox') as (typeof processors)[number],
      settlementDelaySeconds: values.SETTLEMENT_DELAY_SECONDS,
      stripe: values.PROCESSOR === 'stripe' ? stripeSettings(values, production) : null,
    };
  },
});

export type ProcessorsSettings = SettingsOf<typeof processorsSettings>;

interface StripeValues {
  readonly STRIPE_SECRET_KEY: string;
  readonly STRIPE_WEBHOOK_SECRET: readonly string[];
  readonly STRIPE_API_URL: string;
  readonly STRIPE_CHECKOUT_URL: string;
}

function stripeSettings(values: StripeValues, production: boolean): StripeSettings {
  if (!values.STRIPE_SECRET_KEY) throw new ConfigError('STRIPE_SECRET_KEY: is required by PROCESSOR=stripe');
  if (values.STRIPE_WEBHOOK_SECRET.length === 0) {
    throw new ConfigError('STRIPE_WEBHOOK_SECRET: is required by PROCESSOR=stripe');
  }
  const testMode = /^\w\w_test_/.test(values.STRIPE_SECRET_KEY);
  if (testMode && production) {
    throw new ConfigError('STRIPE_SECRET_KEY: must be a live key in production; a test key moves no money');
  }
  if (!testMode && values.STRIPE_API_URL) {
    throw new ConfigError(
      'STRIPE_API_URL: must be empty with a live key, which is sent to Stripe only; use a test key',
    );
  }
  return {
    secretKey: values.STRIPE_SECRET_KEY,
    webhookSecrets: values.STRIPE_WEBHOOK_SECRET,
    apiUrl: values.STRIPE_API_URL || null,
    checkoutOrigin: new URL(values.STRIPE_CHECKOUT_URL).origin,
    testMode,
  };
}
