import { str } from 'envalid';
import { EntitySchema } from 'typeorm';
import { CustomErrorCode } from '../../src/kernel/domain-error';
import { secretsSettings } from '../../src/platform/config/secrets.settings';
import { ConfigError, defineSettings } from '../../src/platform/config/settings';
import { transactionSchema } from '../../src/modules/transactions/infrastructure/sql-transactions.repository';
import { ServiceModule } from '../../src/platform/service-module';
import { Composition } from '../../src/service/composition';
import { responseChange } from '../../src/platform/versions/api-change';

class PayoutsModule {}
class Payouts1900000000000 {
  async up(): Promise<void> {}
  async down(): Promise<void> {}
}

const payouts: ServiceModule = {
  module: PayoutsModule,
  migrations: [Payouts1900000000000],
  settings: [
    defineSettings({
      variables: { PAYOUT_BANK: str({ default: 'none' }) },
      read: (values) => values.PAYOUT_BANK,
    }),
  ],
  idPrefixes: ['pyo'],
  errorCodes: [new CustomErrorCode('payout_frozen', 409, 'Payouts are frozen.')],
  tags: [{ name: 'Payouts', description: 'Money that leaves an account.' }],
};

const aChange = (version: string) => ({
  version,
  description: 'Payouts are older.',
  responses: [responseChange({ newer: PayoutsModule, older: PayoutsModule, toOlder: (payout) => payout })],
});

describe('A composition', () => {
  it('adds what extensions bring to the core', () => {
    const composition = new Composition([payouts]);
    expect(composition.modules.at(-1)).toBe(payouts);
    expect(composition.listTags(composition.modules)).toContainEqual(payouts.tags![0]);
    expect(composition.readSettings({}).of(payouts.settings![0]!)).toBe('none');
  });

  it('has no default for the secrets of a service with a database of its own', () => {
    const env = { DATABASE_URL: 'postgresql://localhost/books' };
    const JWT_SECRETS = 'a secret that is only used in this test';
    const composition = new Composition([]);
    expect(() => composition.readSettings(env)).toThrow(
      new ConfigError(
        'JWT_SECRETS: must be set when DATABASE_URL is set, to the same value on every replica',
      ),
    );
    expect(composition.readSettings({ ...env, JWT_SECRETS }).of(secretsSettings)).toEqual([JWT_SECRETS]);
  });

  it('runs the migrations of extensions after all of the core', () => {
    const [core, extensions] = new Composition([payouts]).migrationSteps;
    expect(core!.migrations).toEqual(new Composition([]).schema.migrations);
    expect(extensions!.migrations).toEqual([Payouts1900000000000]);
  });

  it.each<[string, Partial<ServiceModule>]>([
    ['The id prefix "acc" is declared twice.', { idPrefixes: ['acc'] }],
    ['The id prefix "Pay-Out" must match', { idPrefixes: ['Pay-Out'] }],
    [
      'The error code "not_found" is declared twice.',
      { errorCodes: [new CustomErrorCode('not_found', 404, '')] },
    ],
    [
      'The error code "payout_paid" must have a status from 400 to 499.',
      { errorCodes: [new CustomErrorCode('payout_paid', 200, '')] },
    ],
    ['The table "transactions" is declared twice.', { entities: [transactionSchema] }],
    [
      'The migration "Payouts1900000000000" is declared twice.',
      { migrations: [Payouts1900000000000, Payouts1900000000000] },
    ],
    ['The migration "PayoutsModule" must match', { migrations: [PayoutsModule as never] }],
    ['The scope "webhooks" is declared twice.', { scopes: [{ name: 'webhooks' }] }],
    ['The scope "Payouts" must match', { scopes: [{ name: 'Payouts' }] }],
    [
      'The scope "payouts:read" is within "events:read", which must be one of transactions:read,',
      { scopes: [{ name: 'payouts:read', within: 'events:read' }] },
    ],
    [
      'The scope "payouts:read" of the events of "payout" is declared by no module.',
      {
        events: [
          { resource: 'payout', scope: 'payouts:read', actions: {}, response: PayoutsModule, render: Object },
        ],
      },
    ],
    [
      'The entity schema "Payment" maps the class PayoutsModule. Name it "PayoutsModule" too.',
      { entities: [new EntitySchema({ name: 'Payment', target: PayoutsModule, columns: {} })] },
    ],
    ['The version "2027-02-30" must be a date after 2026-11-20.', { apiChanges: [aChange('2027-02-30')] }],
    ['The version "2026-11-20" must be a date after 2026-11-20.', { apiChanges: [aChange('2026-11-20')] }],
    [
      'The API "change of PayoutsModule in version 2027-03-01" is declared twice.',
      { apiChanges: [aChange('2027-03-01'), aChange('2027-03-01')] },
    ],
    ['The tag "Users" is declared twice.', { tags: [{ name: 'Users', description: '' }] }],
    ['The health check "mail" is declared twice.', { healthChecks: [{ name: 'mail', run: async () => [] }] }],
    [
      'The setting "PORT" is declared twice.',
      { settings: [defineSettings({ variables: { PORT: str() }, read: () => null })] },
    ],
  ])('rejects a name that is malformed or taken: %s', (message, declared) => {
    expect(() => new Composition([{ module: PayoutsModule, ...declared }])).toThrow(message);
  });
});
