import { Module } from '@nestjs/common';
import { register } from '../../../platform/register';
import { ServiceModule } from '../../../platform/service-module';
import { ApiKeyCheck } from '../../auth';
import { AuthModule } from '../../auth/auth.module';
import { SearchSources } from '../../back-office';
import { SearchModule } from '../../back-office/search/search.module';
import { AccountsModule } from '../accounts.module';
import { AccountAccess, ClosingHooks } from '../domain/account-hooks';
import { ApiKeyListeners, ApiKeys } from './api-key';
import { ApiKeysController } from './api-keys.controller';
import { ApiKeyResponse, apiKeyResponse } from './api-keys.dto';
import { apiKeySchema, ApiKeysRepository } from './api-keys.repository';
import { CreateApiKey, RevokeApiKeys } from './api-keys.service';
import { LiveApiKeys } from './live-api-keys.service';

/** Keys with which programs call the API. Requests are authenticated with them through `ApiKeyCheck`. */
@Module({
  imports: [AuthModule, AccountsModule, SearchModule],
  controllers: [ApiKeysController],
  providers: [
    LiveApiKeys,
    { provide: ApiKeys, useExisting: LiveApiKeys },
    CreateApiKey,
    RevokeApiKeys,
    ApiKeyListeners,
    ApiKeysRepository,
    register(ApiKeyCheck, [LiveApiKeys], (keys) => keys),
    register(SearchSources, [LiveApiKeys], (keys) => ({
      name: 'api_key',
      scope: null,
      response: ApiKeyResponse,
      find: async (caller, text) => {
        const key = await keys.find(caller, text);
        return key === null ? [] : [{ id: key.id, accountId: key.accountId, object: apiKeyResponse(key) }];
      },
    })),
    register(AccountAccess, [RevokeApiKeys], (revoke) => ({
      name: 'api-keys',
      revokeAll: (tx, actor, account, now) => revoke.inTakeOver(tx, actor, account, now),
    })),
    register(ClosingHooks, [RevokeApiKeys], (revoke) => ({
      name: 'api-keys',
      cancelPending: (tx, account, now) => revoke.inClosing(tx, account, now),
    })),
  ],
  exports: [ApiKeys, ApiKeyListeners],
})
export class ApiKeysModule {}

export const apiKeys: ServiceModule = {
  module: ApiKeysModule,
  entities: [apiKeySchema],
  idPrefixes: ['key'],
  events: [
    {
      resource: 'api_key',
      actions: {
        created: 'An API key was created.',
        revoked: 'An API key was revoked, also by the closing of its account.',
      },
      examples: { created: { last_used_at: null } },
      response: ApiKeyResponse,
      render: apiKeyResponse,
    },
  ],
  tags: [{ name: 'API keys', description: 'Keys with which programs call the API.' }],
};
