import { ConfigError } from '../../../src/platform/config/settings';
import { core } from '../../support/core';
import { createDatabase, dropDatabase } from '../../support/databases';
import { Log } from '../../../src/platform/telemetry/log';

const LIVE = 'sk_live_0123456789abcdef';
const STRIPE = {
  PROCESSOR: 'stripe',
  STRIPE_SECRET_KEY: 'sk_test_0123456789abcdef',
  STRIPE_WEBHOOK_SECRET: 'whsec_0123456789abcdef',
};
const PRODUCTION = {
  NODE_ENV: 'production',
  DATABASE_URL: 'postgresql://x',
  JWT_SECRETS: 's'.repeat(32),
  PAYMENT_PAGE_URL: 'https://pay.example.com',
};

function fault(env: NodeJS.ProcessEnv): string {
  try {
    core.readSettings({ ...STRIPE, ...env });
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
  return 'none';
}

describe('The settings of Stripe', () => {
  it.each<[string, NodeJS.ProcessEnv, RegExp]>([
    ['no key', { STRIPE_SECRET_KEY: '' }, /^STRIPE_SECRET_KEY: is required by PROCESSOR=stripe$/],
    [
      'no webhook secret',
      { STRIPE_WEBHOOK_SECRET: '' },
      /^STRIPE_WEBHOOK_SECRET: is required by PROCESSOR=stripe$/,
    ],
    ['a publishable key', { STRIPE_SECRET_KEY: 'pk_live_0123456789abcdef' }, /^STRIPE_SECRET_KEY: /],
    ['a malformed webhook secret', { STRIPE_WEBHOOK_SECRET: LIVE }, /^STRIPE_WEBHOOK_SECRET: /],
    [
      'an empty webhook secret in a list',
      { STRIPE_WEBHOOK_SECRET: 'whsec_0123456789,' },
      /^STRIPE_WEBHOOK_SECRET: /,
    ],
    ['a test key in production', PRODUCTION, /^STRIPE_SECRET_KEY: must be a live key in production/],
    [
      'a live key with another API address',
      { STRIPE_SECRET_KEY: LIVE, STRIPE_API_URL: 'http://localhost:12111' },
      /^STRIPE_API_URL: /,
    ],
  ])('reject %s with a message that names the setting but not the secret', (_, env, line) => {
    expect(fault(env)).toMatch(line);
    expect(fault(env)).not.toMatch(/0123456789/);
  });

  it.each<[string, NodeJS.ProcessEnv]>([
    ['a test key', {}],
    ['a restricted key', { STRIPE_SECRET_KEY: 'rk_test_0123456789abcdef' }],
    ['a live key in production', { ...PRODUCTION, STRIPE_SECRET_KEY: LIVE }],
    ['two webhook secrets', { STRIPE_WEBHOOK_SECRET: 'whsec_0123456789, whsec_9876543210' }],
    ['no key with another processor', { PROCESSOR: 'manual', STRIPE_SECRET_KEY: '' }],
  ])('accept %s', (_, env) => expect(fault(env)).toBe('none'));
});

describe('The mode of a database with Stripe', () => {
  async function open(databaseUrl: string, env: NodeJS.ProcessEnv): Promise<string> {
    const settings = { ...STRIPE, ...env, DATABASE_URL: databaseUrl, JWT_SECRETS: 's'.repeat(32) };
    return core
      .run(settings, async () => 'started', { log: new Log('silent') })
      .catch((error: Error) => error.message);
  }

  it('is set by the kind of the first key', async () => {
    const { name, url } = await createDatabase();
    expect(await open(url, {})).toBe('started');
    expect(await open(url, { STRIPE_SECRET_KEY: LIVE })).toContain(
      'in test mode, the processor in live mode',
    );
    expect(await open(url, { PROCESSOR: 'manual' })).toContain('in test mode, the processor in live mode');
    await dropDatabase(name);
    const live = await createDatabase();
    expect(await open(live.url, { STRIPE_SECRET_KEY: LIVE })).toBe('started');
    expect(await open(live.url, { PROCESSOR: 'manual' })).toBe('started');
    expect(await open(live.url, {})).toContain('in live mode, the processor in test mode');
    await dropDatabase(live.name);
  });
});
