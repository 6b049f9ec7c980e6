import { Module } from '@nestjs/common';
import { register } from '../../../platform/register';
import { ServiceModule } from '../../../platform/service-module';
import { ApiKeyCheck } from '../../auth';
import { AuthModule } from '../../auth/auth.module';
import { SearchSources } from '../../back-office';
import { SearchModule } from '../../back-office/search/search.module';
import { AccountsModule } from '../accounts.module';
import { AccountAccess } from '../domain/account-access';
import { AccountClosing } from '../domain/account-closing';
import { ApiKeyAuthentication } from './application/api-key-authentication';
import { ApiKeysService } from './application/api-keys.service';
import { ApiKeyListeners } from './domain/api-key-listeners';
import { ApiKeys } from './domain/api-keys';
import { ApiKeysRepository } from './domain/api-keys.repository';
import { ApiKeysController } from './http/api-keys.controller';
import { ApiKeyResponse, apiKeyResponse } from './http/api-keys.dto';
import { apiKeySchema } from './infrastructure/api-key.schema';
import { TypeormApiKeysRepository } from './infrastructure/typeorm-api-keys.repository';

/** Keys with which programs call the API. Requests are authenticated with them through `ApiKeyCheck`. */
@Module({
  imports: [AuthModule, AccountsModule, SearchModule],
  controllers: [ApiKeysController],
  providers: [
    { provide: ApiKeys, useClass: ApiKeysService },
    ApiKeyAuthentication,
    ApiKeyListeners,
    { provide: ApiKeysRepository, useClass: TypeormApiKeysRepository },
    register(SearchSources, [ApiKeys], (apiKeys) => ({
      name: 'api_key',
      scope: null,
      find: async (caller, text) => {
        const key = await apiKeys.find(caller, text);
        return key === null ? [] : [{ id: key.id, accountId: key.accountId, object: apiKeyResponse(key) }];
      },
    })),
    register(ApiKeyCheck, [ApiKeys, ApiKeyAuthentication], (apiKeys, authentication) => ({
      name: 'api-keys',
      authenticate: (hash, device) => authentication.authenticate(hash, device),
      isLive: (tx, id, now) => apiKeys.isLive(tx, id, now),
    })),
    register(AccountAccess, [ApiKeys], (apiKeys) => ({
      name: 'api-keys',
      revokeAll: (tx, actor, account, now) => apiKeys.takeOver(tx, actor, account, now),
    })),
    register(AccountClosing, [ApiKeys], (apiKeys) => ({
      name: 'api-keys',
      cancelPending: (tx, account, now) => apiKeys.revokeAllOf(tx, account, now),
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
      response: ApiKeyResponse,
      render: apiKeyResponse,
    },
  ],
  tags: [{ name: 'API keys', description: 'Keys with which programs call the API.' }],
};
