import { Body, Controller, Delete, Get, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { parseTimestamp } from '../../../kernel/clock';
import { IdempotentRequest } from '../../../platform/database/database';
import { ApiScopes } from '../../../platform/config/api-scopes';
import { pageOrCsv } from '../../../platform/http/csv-export';
import { ApiVersions } from '../../../platform/versions/api-versions';
import { IdParam, Operation } from '../../../platform/http/operation';
import { Caller, IdempotencyKey, Principal } from '../../auth/http';
import {
  apiKeyResponse,
  ApiKeyResponse,
  ApiKeysResponse,
  CreateApiKeyRequest,
  createdApiKeyResponse,
  CreatedApiKeyResponse,
  ListApiKeysQuery,
  RevokeApiKeyRequest,
  revokedApiKeyResponse,
  RevokedApiKeyResponse,
} from './api-keys.dto';
import { CreateApiKey, LiveApiKeys, RevokeApiKeys } from './api-keys.service';

/** API keys of accounts and of platform systems. No operation here is open to API keys. */
@ApiTags('API keys')
@Controller('v1/api-keys')
export class ApiKeysController {
  constructor(
    private readonly scopes: ApiScopes,
    private readonly versions: ApiVersions,
    private readonly liveKeys: LiveApiKeys,
    private readonly createKey: CreateApiKey,
    private readonly revokeKeys: RevokeApiKeys,
  ) {}

  @Post()
  @Operation({
    id: 'createApiKey',
    summary: 'Create an API key',
    idempotent: true,
    errors: ['conflict'],
    description:
      'For the owner of an account, and for admins, who create platform keys. The key is shown only in this response: a repeat with the same `Idempotency-Key` is a `conflict` that names the key by its id. Production requires a verified email (`forbidden`) and a login within the last 15 minutes (`unauthorized`).',
    response: { type: CreatedApiKeyResponse, description: 'The new key.' },
  })
  create(
    @Caller() caller: Principal,
    @Body() body: CreateApiKeyRequest,
    @IdempotencyKey() request: IdempotentRequest,
  ) {
    const { name, role, expires_at, scopes, allowed_addresses: allowedAddresses, version } = body;
    const expiresAt = parseTimestamp(expires_at) ?? undefined;
    const apiVersion = this.versions.choosePin(version, caller);
    return this.createKey.run(
      caller,
      role,
      { name, expiresAt, scopes: this.scopes.grant(scopes), allowedAddresses, apiVersion },
      { ...request, render: createdApiKeyResponse, showsSecretOf: ({ record }) => record.id },
    );
  }

  @Get()
  @Operation({
    id: 'listApiKeys',
    summary: 'List API keys',
    description: 'For the owner of an account, and for admins. Without revoked and expired keys.',
    response: { type: ApiKeysResponse, description: 'One page of the live keys, newest first.' },
    alsoAs: ['text/csv'],
  })
  async list(@Caller() caller: Principal, @Query() { account_id: accountId, ...query }: ListApiKeysQuery) {
    return pageOrCsv(query, {
      itemType: ApiKeyResponse,
      page: async () => ({ data: (await this.liveKeys.list(caller, accountId, query)).map(apiKeyResponse) }),
      walk: () => this.liveKeys.walk(caller, accountId),
      render: (keys) => keys.map(apiKeyResponse),
    });
  }

  @Delete(':api_key_id')
  @Operation({
    id: 'revokeApiKey',
    summary: 'Revoke an API key',
    errors: ['not_found'],
    optionalBody: RevokeApiKeyRequest,
    description: 'For the owner of the account, and for admins. The next request with the key is rejected.',
    response: { type: RevokedApiKeyResponse, description: 'The key is revoked.' },
  })
  async revoke(
    @Caller() caller: Principal,
    @IdParam('api_key_id', 'key', 'The id of the API key.') id: string,
    @Body() { reason }: RevokeApiKeyRequest,
  ) {
    return revokedApiKeyResponse(await this.revokeKeys.byId(caller, id, reason));
  }
}
