import { isAddressOrNetwork } from '../../../kernel/client-network';
import { FormatParam, IntegerParam, ListFormat } from '../../../platform/http/list-query';

import {
  EnumField,
  field,
  IdField,
  ReasonField,
  StringField,
  TimestampField,
  VersionField,
} from '../../../platform/http/request-fields';
import {
  apiScopeSchema,
  IdResponseField,
  nameEnum,
  ResponseField,
  Timestamp,
  VersionResponseField,
} from '../../../platform/http/response-fields';
import { ApiKey, ApiKeyRole, apiKeyRoles, IssuedApiKey } from './api-key';

nameEnum('ApiKeyRole', apiKeyRoles);

const MAX_ALLOWED_ADDRESSES = 50;

const isDistinct = (values: readonly unknown[]): boolean => new Set(values).size === values.length;

const ScopesField = () =>
  field(
    {
      expected: 'a list of one or more scopes, each once',
      isValid: (value) =>
        Array.isArray(value) &&
        value.length > 0 &&
        isDistinct(value) &&
        value.every((scope) => typeof scope === 'string'),
      schema: {
        type: 'array',
        items: apiScopeSchema,
        minItems: 1,
        uniqueItems: true,
        example: ['transactions:read', 'payments:write'],
      },
    },
    { optional: true, description: 'What the key may do; by default everything.' },
  );

const AllowedAddressesField = () =>
  field(
    {
      expected: `a list of at most ${MAX_ALLOWED_ADDRESSES} IPv4 or IPv6 addresses or networks in CIDR notation, each once`,
      isValid: (value) =>
        Array.isArray(value) &&
        value.length <= MAX_ALLOWED_ADDRESSES &&
        isDistinct(value) &&
        value.every((text) => typeof text === 'string' && isAddressOrNetwork(text)),
      schema: {
        type: 'array',
        items: { type: 'string' },
        maxItems: MAX_ALLOWED_ADDRESSES,
        uniqueItems: true,
        example: [],
      },
    },
    {
      optional: true,
      description:
        'The addresses and networks from which the key may be used, such as `203.0.113.7` and `2001:db8::/48`; by default from anywhere.',
    },
  );

export class CreateApiKeyRequest {
  @StringField(1, 100, 'Web shop', { description: 'What the key is for.' }) name: string;
  @TimestampField('When the key stops working; by default never.') expires_at?: string;
  @ScopesField() scopes?: string[];
  @AllowedAddressesField() allowed_addresses?: string[];

  @VersionField({
    optional: true,
    inExample: false,
    description: "The version of the API that requests with the key use; by default the account's.",
  })
  version?: string;

  @EnumField(apiKeyRoles, {
    optional: true,
    description:
      '`user` (the default): the key acts as a member of your account. `platform`, for admins: the key belongs to no account and acts as a platform system.',
  })
  role: ApiKeyRole = 'user';
}

export class RevokeApiKeyRequest {
  @ReasonField() reason?: string;
}

export class ListApiKeysQuery {
  @IdField('acc', {
    optional: true,
    description: 'The account whose keys an admin lists; by default the platform keys.',
  })
  account_id?: string;

  @IntegerParam(1, 999_999_999, 'The page number, starting at 1.') page: number = 1;
  @IntegerParam(100, 100, 'The number of keys per page.') limit: number = 100;

  @FormatParam('`csv` returns all keys of the list, whatever `limit` says, and takes no `page`.')
  format?: ListFormat;
}

export class ApiKeyResponse {
  @IdResponseField('key') id: string;

  @IdResponseField('acc', { nullable: true, description: 'Null for a platform key.' })
  account_id: string | null;

  @ResponseField({ enum: apiKeyRoles }) role: ApiKeyRole;
  @ResponseField({ example: 'Web shop' }) name: string;
  @ResponseField({ example: 'x7Qa', description: 'The last four characters of the key.' }) last_four: string;

  @ResponseField({
    type: 'array',
    items: apiScopeSchema,
    example: ['transactions:read', 'payments:write'],
  })
  scopes: string[];

  @ResponseField({
    type: 'array',
    items: { type: 'string' },
    example: ['203.0.113.7'],
    description: 'Empty when the key may be used from anywhere.',
  })
  allowed_addresses: string[];

  @VersionResponseField('The version of the API that requests with the key use.') version: string;
  @Timestamp() created_at: string;

  @ResponseField({
    format: 'date-time',
    nullable: true,
    example: '2026-01-31T09:30:00.000Z',
    description: 'Exact to a minute. Null before the first use.',
  })
  last_used_at: string | null;

  @ResponseField({ format: 'date-time', nullable: true, example: '2027-01-31T09:30:00.000Z' })
  expires_at: string | null;
}

export class ApiKeysResponse {
  @ResponseField({ type: [ApiKeyResponse] }) data: ApiKeyResponse[];
}

export class CreatedApiKeyResponse extends ApiKeyResponse {
  @ResponseField({
    example: 'ch_4kQzT1vB8nYcXw2mLr6sPj0dHf5gVa9uEoKi3NtZbC7',
    description: 'The key. It is shown only here. Send it in the header `Authorization: Bearer <key>`.',
  })
  key: string;
}

export class RevokedApiKeyResponse {
  @IdResponseField('key') id: string;
  @Timestamp() revoked_at: string;
  @ResponseField({ example: 'The API key was revoked.' }) message: string;
}

export function apiKeyResponse(key: ApiKey): ApiKeyResponse {
  return {
    id: key.id,
    account_id: key.accountId,
    role: key.role,
    name: key.name,
    last_four: key.lastFour,
    scopes: [...key.scopes],
    allowed_addresses: [...key.allowedAddresses],
    version: key.apiVersion,
    created_at: key.createdAt.toISOString(),
    last_used_at: key.lastUsedAt?.toISOString() ?? null,
    expires_at: key.expiresAt?.toISOString() ?? null,
  };
}

export function createdApiKeyResponse({ key, record }: IssuedApiKey): CreatedApiKeyResponse {
  return { ...apiKeyResponse(record), key };
}

export function revokedApiKeyResponse({ id, revokedAt }: Readonly<ApiKey>): RevokedApiKeyResponse {
  return { id, revoked_at: revokedAt!.toISOString(), message: 'The API key was revoked.' };
}
