import { makeValidator, str } from 'envalid';
import { emailKey } from '../../../kernel/text';
import { ConfigError, defineSettings, secret, type SettingsOf } from '../../../platform/config/settings';

/** An OpenID Connect provider through which admins and support people sign in. */
export interface ProviderSettings {
  /** A part of the addresses of the sign-in. */
  readonly name: string;
  /** What people read on the button. */
  readonly label: string;
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly scope: string;
  /** The claim with the groups, an array of texts. */
  readonly groupsClaim: string;
  readonly adminGroups: readonly string[];
  readonly supportGroups: readonly string[];
  /** Whether an admin or a support person who has the email already is signed in as that user. */
  readonly linkByEmail: boolean;
}

const MEMBERS = [
  'name',
  'label',
  'issuer',
  'client_id',
  'client_secret',
  'scope',
  'groups_claim',
  'admin_groups',
  'support_groups',
  'link_by_email',
];

/** The messages quote no value, since one is a secret. */
const providerList = makeValidator<readonly ProviderSettings[]>((input) => {
  const items = parseJson(input);
  if (!Array.isArray(items)) throw new Error('must be a JSON array of providers');
  const providers = items.map(parseProvider);
  for (const member of ['name', 'issuer'] as const)
    if (new Set(providers.map((provider) => provider[member])).size < providers.length)
      throw new Error(`two providers must not have the same ${member}`);
  return providers;
});

export const singleSignOnSettings = defineSettings({
  variables: {
    OIDC_PROVIDERS: secret(
      providerList({
        default: [],
        desc: 'The providers of [single sign-on](guides/console.md#single-sign-on), in JSON.',
      }),
    ),
    EMERGENCY_ADMIN_EMAIL: str({
      default: '',
      desc: 'Takes passwords away from all of the back office but the admin with this email.',
    }),
  },
  read: ({ OIDC_PROVIDERS: providers, EMERGENCY_ADMIN_EMAIL: emergency }, { production }) => {
    if (production && providers.some(({ issuer }) => !issuer.startsWith('https:')))
      throw new ConfigError('OIDC_PROVIDERS: each issuer must begin with https:// in production');
    if (emergency !== '' && providers.length === 0)
      throw new ConfigError('EMERGENCY_ADMIN_EMAIL: must be set together with OIDC_PROVIDERS');
    return { providers, emergencyEmailKey: emergency === '' ? null : emailKey(emergency) };
  },
});

export type SingleSignOnSettings = SettingsOf<typeof singleSignOnSettings>;

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error('must be JSON');
  }
}

function parseProvider(item: unknown, index: number): ProviderSettings {
  const members = new Map(Object.entries(item ?? {}));
  const reject = (problem: string): never => {
    throw new Error(`provider ${index + 1}: ${problem}`);
  };
  const text = (name: string, byDefault?: string): string => {
    const value: unknown = members.get(name) ?? byDefault;
    return typeof value === 'string' && value !== '' ? value : reject(`${name} must be a text`);
  };
  const texts = (name: string): readonly string[] => {
    const value: unknown = members.get(name) ?? [];
    const isList = Array.isArray(value) && value.every((each) => typeof each === 'string' && each !== '');
    return isList ? (value as string[]) : reject(`${name} must be an array of texts`);
  };
  if ([...members.keys()].some((name) => !MEMBERS.includes(name)))
    reject(`only ${MEMBERS.join(', ')} are members`);
  const provider = {
    name: text('name'),
    label: text('label', text('name')),
    issuer: text('issuer'),
    clientId: text('client_id'),
    clientSecret: text('client_secret'),
    scope: text('scope', 'openid email profile'),
    groupsClaim: text('groups_claim', 'groups'),
    adminGroups: texts('admin_groups'),
    supportGroups: texts('support_groups'),
    linkByEmail: members.get('link_by_email') === true,
  };
  if (!/^[a-z0-9-]{1,40}$/.test(provider.name))
    reject('name must have 1 to 40 lower-case letters, digits and hyphens');
  if (!/^https?:/.test(provider.issuer) || !URL.canParse(provider.issuer))
    reject('issuer must be an address like https://login.example.com');
  if (provider.adminGroups.length + provider.supportGroups.length === 0)
    reject('admin_groups or support_groups must name a group');
  if (![undefined, true, false].includes(members.get('link_by_email') as boolean | undefined))
    reject('link_by_email must be true or false');
  return provider;
}
