import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { roleOf } from '../../../../src/modules/auth/single-sign-on/single-sign-on';
import { singleSignOnSettings } from '../../../../src/modules/auth/single-sign-on/single-sign-on.settings';
import { ConfigError, environmentSettings, Settings } from '../../../../src/platform/config/settings';

const ACME = {
  name: 'acme',
  issuer: 'https://login.acme.example',
  client_id: 'countinghouse',
  client_secret: 'canary-secret',
  admin_groups: ['finance-admins'],
};

const read = (env: NodeJS.ProcessEnv) =>
  Settings.read([environmentSettings, singleSignOnSettings], env).of(singleSignOnSettings);
const readProviders = (...providers: unknown[]) => read({ OIDC_PROVIDERS: JSON.stringify(providers) });

describe('OIDC_PROVIDERS', () => {
  it('has defaults for all that a provider rarely needs', () => {
    expect(readProviders(ACME).providers).toEqual([
      {
        name: 'acme',
        label: 'acme',
        issuer: 'https://login.acme.example',
        clientId: 'countinghouse',
        clientSecret: 'canary-secret',
        scope: 'openid email profile',
        groupsClaim: 'groups',
        adminGroups: ['finance-admins'],
        supportGroups: [],
        linkByEmail: false,
      },
    ]);
    expect(read({})).toEqual({ providers: [], emergencyEmailKey: null });
  });

  it('may be in a file', () => {
    const folder = mkdtempSync(join(tmpdir(), 'countinghouse-oidc-'));
    writeFileSync(join(folder, 'providers.json'), JSON.stringify([ACME]));
    const { providers } = read({ OIDC_PROVIDERS_FILE: join(folder, 'providers.json') });
    expect(providers).toMatchObject([{ name: 'acme', clientSecret: 'canary-secret' }]);
    rmSync(folder, { recursive: true });
  });

  it.each<[string, unknown[], RegExp]>([
    ['no object', ['canary-secret'], /provider 1/],
    ['nothing', [null], /provider 1: name must be a text/],
    ['an unknown member', [{ ...ACME, secret: 'x' }], /provider 1: only name, label/],
    ['no secret', [{ ...ACME, client_secret: '' }], /provider 1: client_secret must be a text/],
    ['a secret that is no text', [{ ...ACME, client_secret: 1 }], /client_secret must be a text/],
    ['no issuer', [{ ...ACME, issuer: undefined }], /issuer must be a text/],
    [
      'an issuer that is no address',
      [{ ...ACME, issuer: 'login.acme.example' }],
      /issuer must be an address/,
    ],
    ['an issuer of another protocol', [{ ...ACME, issuer: 'file:///etc' }], /issuer must be an address/],
    ['a name that is no part of an address', [{ ...ACME, name: 'Acme/..' }], /name must have 1 to 40/],
    [
      'groups that are no array',
      [{ ...ACME, admin_groups: 'finance-admins' }],
      /admin_groups must be an array/,
    ],
    ['an empty group', [{ ...ACME, admin_groups: [''] }], /admin_groups must be an array/],
    ['no group', [{ ...ACME, admin_groups: [] }], /must name a group/],
    [
      'a switch that is no boolean',
      [{ ...ACME, link_by_email: 'true' }],
      /link_by_email must be true or false/,
    ],
    ['a name twice', [ACME, { ...ACME, issuer: 'https://other.example' }], /the same name/],
    ['an issuer twice', [ACME, { ...ACME, name: 'other' }], /the same issuer/],
  ])('is rejected with %s', (_, providers, message) => {
    expect(() => readProviders(...providers)).toThrow(ConfigError);
    expect(() => readProviders(...providers)).toThrow(message);
    expect(() => readProviders(...providers)).not.toThrow(/canary-secret/);
  });

  it.each(['{', '{}', '"canary-secret"', 'canary-secret'])(
    'is rejected unless it is an array: %s',
    (text) => {
      expect(() => read({ OIDC_PROVIDERS: text })).toThrow(/^OIDC_PROVIDERS: must be (a )?JSON/);
      expect(() => read({ OIDC_PROVIDERS: text })).not.toThrow(/canary-secret/);
    },
  );

  it('demands HTTPS in production', () => {
    const env = { OIDC_PROVIDERS: JSON.stringify([{ ...ACME, issuer: 'http://login.acme.example' }]) };
    expect(read(env).providers).toHaveLength(1);
    expect(() => read({ ...env, NODE_ENV: 'production' })).toThrow(/https/);
  });
});

describe('EMERGENCY_ADMIN_EMAIL', () => {
  it('locks nobody out who could not sign in otherwise', () => {
    const env = { EMERGENCY_ADMIN_EMAIL: 'Root@example.com' };
    expect(() => read(env)).toThrow(/OIDC_PROVIDERS/);
    expect(read({ ...env, OIDC_PROVIDERS: JSON.stringify([ACME]) }).emergencyEmailKey).toBe(
      'root@example.com',
    );
  });
});

describe('The role of groups', () => {
  it.each<[string[], string | null]>([
    [['admins'], 'admin'],
    [['support'], 'support'],
    [['support', 'admins'], 'admin'],
    [['Admins', 'admin', 'xadmins'], null],
    [[], null],
  ])('%j is %s', (groups, role) => {
    expect(roleOf(groups, { adminGroups: ['admins'], supportGroups: ['support'] })).toBe(role);
  });
});
