import { isBIC, isEmail, isIBAN } from 'class-validator';
import { bool, cleanEnv, makeValidator, str, url } from 'envalid';

/** One or more secrets: the first signs, all verify. */
const secrets = makeValidator<string[]>((input) => {
  const list = input.split(',').map((secret) => secret.trim());
  if (list.some((secret) => secret.length < 32)) {
    throw new Error('each secret needs at least 32 characters, and commas between them');
  }
  return list;
});

const between = (minimum: number, maximum: number) =>
  makeValidator<number>((input) => {
    const value = Number(input);
    if (!Number.isInteger(value) || value < minimum || value > maximum) {
      throw new Error(`a whole number from ${minimum} to ${maximum} is wanted`);
    }
    return value;
  });

/** A code of a bank or an account, however it is spaced; empty for none. */
const bankCode = (name: string, valid: (code: string) => boolean) =>
  makeValidator<string>((input) => {
    const code = input.replace(/\s/g, '').toUpperCase();
    if (code !== '' && !valid(code)) throw new Error(`a valid ${name} is wanted`);
    return code;
  });

/** The options of a mail server that its URL may carry; another one could switch on a log of all that is sent. */
const SMTP_OPTIONS = /^(name|requireTLS|ignoreTLS|tls\.\w+)$/;

/** Where mail goes out. It holds a password, so what is wrong with it is said without quoting it. */
const smtpUrl = makeValidator<string>((input) => {
  const parsed = URL.canParse(input) ? new URL(input) : null;
  if (parsed === null || !/^smtps?:$/.test(parsed.protocol) || parsed.hostname === '') {
    throw new Error('smtp://user:password@host:587 or smtps://user:password@host is wanted');
  }
  if ([...parsed.searchParams.keys()].some((option) => !SMTP_OPTIONS.test(option))) {
    throw new Error('its options may be requireTLS, ignoreTLS, name, and those of tls.');
  }
  if ([parsed.username, parsed.password].some((part) => !isPercentEncoded(part))) {
    throw new Error('special characters in the user name and the password are percent-encoded, % as %25');
  }
  return input;
});

const mailAddress = makeValidator<string>((input) => {
  if (!isEmail(input)) throw new Error('a plain address like billing@example.com is wanted');
  return input;
});

/** A secret key of Stripe, or a restricted one. The message must not repeat it. */
const stripeKey = makeValidator<string>((input) => {
  if (!/^(sk|rk)_(test|live)_\w+$/.test(input)) {
    throw new Error('a secret key of Stripe is wanted: sk_live_..., rk_live_... or, for tests, sk_test_...');
  }
  return input;
});

/** One or more secrets that sign what a provider reports; all are accepted. */
const signingSecrets = makeValidator<string[]>((input) => {
  const list = input.split(',').map((secret) => secret.trim());
  if (list.some((secret) => !/^whsec_\S{8,}$/.test(secret))) {
    throw new Error('one or more signing secrets (whsec_...) are wanted, with commas between them');
  }
  return list;
});

/** Where pages are; paths are put behind it. */
const pageAddress = makeValidator<string>((input) => {
  const parsed = URL.canParse(input) ? new URL(input) : null;
  if (parsed === null || !/^https?:$/.test(parsed.protocol) || /[?#]/.test(input)) {
    throw new Error('an address like https://pay.example.com is wanted, without ? and #');
  }
  return input;
});

/** The settings, by the name of their environment variable; the README lists the same table. */
export const settings = {
  NODE_ENV: str({
    default: 'development',
    choices: ['development', 'test', 'production'],
    desc: '`production` turns on the strict limits and the HTTPS rule.',
  }),
  PORT: between(0, 65_535)({ default: 3000, desc: 'Where the service listens; 0 takes any free port.' }),
  LISTEN_ADDRESS: str({
    default: '',
    desc: 'Where it listens: by default `localhost` outside production and every IPv4 address in production.',
  }),
  DATA_DIR: str({ default: '.data', desc: 'Where the embedded PostgreSQL and the generated secret live.' }),
  DATABASE_URL: str({ default: '', desc: 'A PostgreSQL 15 to 18 to use; nothing embedded starts.' }),
  DATABASE_POOL_SIZE: between(1, 1000)({ default: 10, desc: 'Connections that one replica opens at most.' }),
  ADMIN_EMAIL: str({ default: '', desc: 'With `ADMIN_PASSWORD`: this admin exists after the start.' }),
  ADMIN_PASSWORD: str({ default: '', desc: 'The password of that admin when it is first made.' }),
  JWT_SECRETS: secrets({
    default: [],
    desc: 'Comma-separated secrets of 32 characters or more: the first signs, all verify. Required with `DATABASE_URL`.',
  }),
  ACCESS_TOKEN_TTL: between(1, 86_400)({ default: 900, desc: 'Seconds that an access token lives.' }),
  REFRESH_REUSE_GRACE_SECONDS: between(
    0,
    3600,
  )({ default: 10, desc: 'Seconds in which a used refresh token may be used again.' }),
  BCRYPT_COST: between(
    4,
    16,
  )({ default: 10, desc: 'Work factor of password hashes; a login re-hashes when it was raised.' }),
  RATE_LIMIT_PER_SECOND: between(
    0,
    1_000_000,
  )({
    default: NaN,
    desc: 'Requests per second and token, else address; 0 is off. By default 1,000 in production and off elsewhere.',
  }),
  PAYMENT_PAGE_URL: pageAddress({
    default: '',
    desc: "Where customers pay; by default the service's own address.",
  }),
  PROCESSOR: str({
    default: '',
    choices: ['sandbox', 'manual', 'stripe', ''],
    desc: 'What moves the money: `sandbox` (play money; the default outside production), `manual` or `stripe`. Production must name it.',
  }),
  STRIPE_SECRET_KEY: stripeKey({
    default: '',
    desc: 'With `PROCESSOR=stripe`: the secret or restricted key. A test key makes a database of play money, and is refused in production.',
  }),
  STRIPE_WEBHOOK_SECRET: signingSecrets({
    default: [],
    desc: 'With `PROCESSOR=stripe`: the signing secret of the webhook endpoint; several, comma-separated, while it is rotated.',
  }),
  STRIPE_API_URL: url({
    default: '',
    desc: "Where Stripe's API is, for tests with a test key; by default Stripe's own address.",
  }),
  STRIPE_CHECKOUT_URL: url({
    default: 'https://checkout.stripe.com',
    desc: "Where Stripe's payment page is: another one only with a domain of your own at Stripe.",
  }),
  PAYMENT_PAYEE: str({
    default: '',
    desc: 'With `PROCESSOR=manual`: who holds the bank account that customers transfer to; by default the account that asks.',
  }),
  PAYMENT_IBAN: bankCode(
    'IBAN',
    isIBAN,
  )({ default: '', desc: 'With `PROCESSOR=manual`: the bank account that customers transfer to.' }),
  PAYMENT_BIC: bankCode('BIC', isBIC)({ default: '', desc: 'The BIC of the bank of `PAYMENT_IBAN`.' }),
  PAYMENT_INSTRUCTIONS: str({
    default: '',
    desc: 'With `PROCESSOR=manual`: what customers should know about paying; shown on the payment page as it is.',
  }),
  SMTP_URL: smtpUrl({
    default: '',
    desc: 'The server that takes mail to customers: `smtp://user:password@host:587` or `smtps://...`. Without it no mail is sent.',
  }),
  MAIL_FROM: mailAddress({
    default: '',
    desc: 'The address that mail comes from; by default the user name of `SMTP_URL` where that is an address.',
  }),
  SETTLEMENT_DELAY_SECONDS: between(
    0,
    31_536_000,
  )({ default: 60, desc: 'Seconds after which a payment settles in the sandbox.' }),
  RUN_WORKER: bool({
    default: true,
    desc: 'Whether this process does timed work; `npm run start:worker` does it apart.',
  }),
  TRUSTED_PROXIES: str({
    default: '',
    desc: 'Addresses or CIDR ranges, comma-separated, whose `X-Forwarded-*` headers are believed.',
  }),
  ALLOW_INSECURE_HTTP: bool({ default: false, desc: 'Lets production logins come over plain HTTP.' }),
  TLS_CERT_FILE: str({ default: '', desc: 'With `TLS_KEY_FILE`: the service speaks HTTPS itself.' }),
  TLS_KEY_FILE: str({ default: '', desc: 'The private key of that certificate.' }),
  LOG_LEVEL: str({
    default: 'info',
    choices: ['debug', 'info', 'warn', 'error', 'silent'],
    desc: 'How much is logged.',
  }),
};

/** A setting that is missing or wrong: `message` is one line that says which and what is wanted. */
export class ConfigError extends Error {}

export type Config = Readonly<ReturnType<typeof readConfig>>;
/** The injection token of the configuration. */
export const CONFIG = Symbol('Config');

/**
 * Reads and checks the environment, once, at start.
 * @throws ConfigError
 */
export function readConfig(env: NodeJS.ProcessEnv) {
  // An empty value is how compose files and shells say "not set".
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''));
  const values = cleanEnv(given, settings, {
    reporter: ({ errors }) => {
      const wrong = Object.entries(errors).map(([name, error]) => `${name}: ${error?.message ?? 'is wrong'}`);
      if (wrong.length > 0) throw new ConfigError(wrong.join('; '));
    },
  });
  const production = values.NODE_ENV === 'production';
  needTogether(values, 'ADMIN_EMAIL', 'ADMIN_PASSWORD');
  needTogether(values, 'TLS_CERT_FILE', 'TLS_KEY_FILE');
  if (values.PAYMENT_BIC && !values.PAYMENT_IBAN) {
    throw new ConfigError('PAYMENT_IBAN: PAYMENT_BIC is given, and goes with it');
  }
  if (values.DATABASE_URL && values.JWT_SECRETS.length === 0) {
    throw new ConfigError('JWT_SECRETS: with DATABASE_URL set it must be given, the same for every replica');
  }
  if (production && !values.PROCESSOR) {
    throw new ConfigError('PROCESSOR: in production it must be named: sandbox, manual or stripe');
  }
  const rateLimit = Number.isNaN(values.RATE_LIMIT_PER_SECOND)
    ? production
      ? 1000
      : 0
    : values.RATE_LIMIT_PER_SECOND;
  return {
    production,
    port: values.PORT,
    listenAddress: values.LISTEN_ADDRESS || (production ? '0.0.0.0' : 'localhost'),
    dataDir: values.DATA_DIR,
    databaseUrl: values.DATABASE_URL || null,
    databasePoolSize: values.DATABASE_POOL_SIZE,
    admin: values.ADMIN_EMAIL ? { email: values.ADMIN_EMAIL, password: values.ADMIN_PASSWORD } : null,
    jwtSecrets: values.JWT_SECRETS,
    accessTokenSeconds: values.ACCESS_TOKEN_TTL,
    refreshReuseGraceSeconds: values.REFRESH_REUSE_GRACE_SECONDS,
    bcryptCost: values.BCRYPT_COST,
    rateLimitPerSecond: rateLimit,
    paymentPageUrl: values.PAYMENT_PAGE_URL.replace(/\/+$/, '') || null,
    processor: values.PROCESSOR || 'sandbox',
    transfer: {
      payee: values.PAYMENT_PAYEE || null,
      iban: values.PAYMENT_IBAN || null,
      bic: values.PAYMENT_BIC || null,
      instructions: values.PAYMENT_INSTRUCTIONS || null,
    },
    mail: values.SMTP_URL ? mailOf(values.SMTP_URL, values.MAIL_FROM) : null,
    stripe: values.PROCESSOR === 'stripe' ? stripeSettings(values) : null,
    settlementDelaySeconds: values.SETTLEMENT_DELAY_SECONDS,
    runWorker: values.RUN_WORKER,
    trustedProxies: values.TRUSTED_PROXIES.split(',')
      .map((entry) => entry.trim())
      .filter(Boolean),
    allowInsecureHttp: values.ALLOW_INSECURE_HTTP,
    tls: values.TLS_CERT_FILE ? { certFile: values.TLS_CERT_FILE, keyFile: values.TLS_KEY_FILE } : null,
    logLevel: values.LOG_LEVEL,
  };
}

/** Where mail goes out, and from whom. */
export interface MailSettings {
  readonly smtpUrl: string;
  readonly from: string;
}

function mailOf(url: string, given: string): MailSettings {
  const user = decodeURIComponent(new URL(url).username);
  const from = given || (isEmail(user) ? user : '');
  if (from === '') throw new ConfigError('MAIL_FROM: with SMTP_URL set it must be given');
  return { smtpUrl: url, from };
}

function isPercentEncoded(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

function needTogether(values: Record<string, unknown>, one: string, other: string): void {
  if (Boolean(values[one]) !== Boolean(values[other])) {
    throw new ConfigError(
      `${values[one] ? other : one}: must be given together with ${values[one] ? one : other}`,
    );
  }
}

interface StripeValues {
  readonly NODE_ENV: string;
  readonly STRIPE_SECRET_KEY: string;
  readonly STRIPE_WEBHOOK_SECRET: readonly string[];
  readonly STRIPE_API_URL: string;
  readonly STRIPE_CHECKOUT_URL: string;
}

function stripeSettings(values: StripeValues) {
  if (!values.STRIPE_SECRET_KEY) throw new ConfigError('STRIPE_SECRET_KEY: PROCESSOR=stripe needs it');
  if (values.STRIPE_WEBHOOK_SECRET.length === 0) {
    throw new ConfigError('STRIPE_WEBHOOK_SECRET: PROCESSOR=stripe needs it');
  }
  const playMoney = /^\w\w_test_/.test(values.STRIPE_SECRET_KEY);
  if (playMoney && values.NODE_ENV === 'production') {
    throw new ConfigError('STRIPE_SECRET_KEY: production wants a live key; a test key moves no money');
  }
  if (!playMoney && values.STRIPE_API_URL) {
    throw new ConfigError(
      'STRIPE_API_URL: a live key is sent to Stripe only; use a test key or leave it empty',
    );
  }
  return {
    secretKey: values.STRIPE_SECRET_KEY,
    webhookSecrets: values.STRIPE_WEBHOOK_SECRET,
    apiUrl: values.STRIPE_API_URL || null,
    checkoutOrigin: new URL(values.STRIPE_CHECKOUT_URL).origin,
    playMoney,
  };
}
