import { ConfigError, readConfig } from '../../src/platform/config/config';
import { createDatabase, dropDatabase } from '../support/databases';
import { Log } from '../../src/platform/telemetry/log';
import { createContext } from '../../src/service';
import { TestClock } from '../support/clock';

const LIVE = 'sk_live_0123456789abcdef';
const STRIPE = {
  PROCESSOR: 'stripe',
  STRIPE_SECRET_KEY: 'sk_test_0123456789abcdef',
  STRIPE_WEBHOOK_SECRET: 'whsec_0123456789abcdef',
};
const PRODUCTION = { NODE_ENV: 'production', DATABASE_URL: 'postgresql://x', JWT_SECRETS: 's'.repeat(32) };

function fault(env: NodeJS.ProcessEnv): string {
  try {
    readConfig({ ...STRIPE, ...env });
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
  return 'none';
}

describe('The settings of Stripe', () => {
  it.each<[string, NodeJS.ProcessEnv, RegExp]>([
    ['no key', { STRIPE_SECRET_KEY: '' }, /^STRIPE_SECRET_KEY: PROCESSOR=stripe needs it$/],
    [
      'no webhook secret',
      { STRIPE_WEBHOOK_SECRET: '' },
      /^STRIPE_WEBHOOK_SECRET: PROCESSOR=stripe needs it$/,
    ],
    ['a publishable key', { STRIPE_SECRET_KEY: 'pk_live_0123456789abcdef' }, /^STRIPE_SECRET_KEY: /],
    ['a webhook secret that is none', { STRIPE_WEBHOOK_SECRET: LIVE }, /^STRIPE_WEBHOOK_SECRET: /],
    ['a list with a gap', { STRIPE_WEBHOOK_SECRET: 'whsec_0123456789,' }, /^STRIPE_WEBHOOK_SECRET: /],
    ['a test key in production', PRODUCTION, /^STRIPE_SECRET_KEY: production wants a live key/],
    [
      'a live key for somebody who is not Stripe',
      { STRIPE_SECRET_KEY: LIVE, STRIPE_API_URL: 'http://localhost:12111' },
      /^STRIPE_API_URL: /,
    ],
  ])('%s stops the start with a line that names the setting, and not the secret', (_, env, line) => {
    expect(fault(env)).toMatch(line);
    expect(fault(env)).not.toMatch(/0123456789/);
  });

  it.each<[string, NodeJS.ProcessEnv]>([
    ['a test key', {}],
    ['a restricted one', { STRIPE_SECRET_KEY: 'rk_test_0123456789abcdef' }],
    ['a live key in production', { ...PRODUCTION, STRIPE_SECRET_KEY: LIVE }],
    ['two webhook secrets', { STRIPE_WEBHOOK_SECRET: 'whsec_0123456789, whsec_9876543210' }],
    ['no keys where Stripe is not used', { PROCESSOR: 'manual', STRIPE_SECRET_KEY: '' }],
  ])('%s will do', (_, env) => expect(fault(env)).toBe('none'));
});

describe('A database of Stripe', () => {
  async function open(databaseUrl: string, env: NodeJS.ProcessEnv): Promise<string> {
    const config = readConfig({ ...STRIPE, ...env });
    const parts = { config, databaseUrl, clock: new TestClock(), log: new Log('silent') };
    return createContext(parts).then(
      (app) => app.close().then(() => 'it opened'),
      (error: Error) => error.message,
    );
  }

  it('knows play money of a test key from the real money of a live one', async () => {
    const { name, url } = await createDatabase();
    expect(await open(url, {})).toBe('it opened');
    expect(await open(url, { STRIPE_SECRET_KEY: LIVE })).toContain('for sandbox money, not for live money');
    expect(await open(url, { PROCESSOR: 'manual' })).toContain('for sandbox money, not for live money');
    await dropDatabase(name);
    const live = await createDatabase();
    expect(await open(live.url, { STRIPE_SECRET_KEY: LIVE })).toBe('it opened');
    expect(await open(live.url, { PROCESSOR: 'manual' })).toBe('it opened');
    expect(await open(live.url, {})).toContain('for live money, not for sandbox money');
    await dropDatabase(live.name);
  });
});
