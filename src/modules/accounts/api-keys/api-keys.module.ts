import { Module, OnApplicationBootstrap, OnModuleInit } from '@nestjs/common';
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
  ],
  exports: [ApiKeys, ApiKeyListeners],
})
export class ApiKeysModule implements OnModuleInit, OnApplicationBootstrap {
  constructor(
    private readonly check: ApiKeyCheck,
    private readonly access: AccountAccess,
    private readonly closing: AccountClosing,
    private readonly authentication: ApiKeyAuthentication,
    private readonly apiKeys: ApiKeys,
    private readonly listeners: ApiKeyListeners,
    private readonly search: SearchSources,
  ) {}

  onModuleInit(): void {
    this.search.register({
      name: 'api_key',
      scope: null,
      find: async (caller, text) => {
        const key = await this.apiKeys.find(caller, text);
        return key === null ? [] : [{ id: key.id, accountId: key.accountId, object: apiKeyResponse(key) }];
      },
    });
    this.check.register({
      name: 'api-keys',
      authenticate: (hash, device) => this.authentication.authenticate(hash, device),
      isLive: (tx, id, now) => this.apiKeys.isLive(tx, id, now),
    });
    this.access.register({
      name: 'api-keys',
      revokeAll: (tx, actor, account, now) => this.apiKeys.takeOver(tx, actor, account, now),
    });
    this.closing.register({
      name: 'api-keys',
      cancelPending: (tx, account, now) => this.apiKeys.revokeAllOf(tx, account, now),
    });
  }

  onApplicationBootstrap(): void {
    this.listeners.freeze();
  }
}

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
