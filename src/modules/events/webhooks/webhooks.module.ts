import { Module } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { DAY_MS, MINUTE_MS, SECOND_MS } from '../../../kernel/clock';
import { AuditTrail } from '../../../platform/audit/audit-trail';
import { SecretCipher } from '../../../platform/config/secret-cipher';
import { Secrets, secretsSettings } from '../../../platform/config/secrets.settings';
import { Database } from '../../../platform/database/database';
import { SharedLimit } from '../../../platform/database/shared-limit';
import { EventTypes } from '../../../platform/events/event-types';
import { exportAsCsv } from '../../../platform/http/csv-export';
import { PeriodicTasks } from '../../../platform/jobs/periodic-tasks';
import { register } from '../../../platform/register';
import { ServiceModule } from '../../../platform/service-module';
import { AccountAccess, ClosingHooks, AccountStore, ApiKeyListeners, ApiKeys } from '../../accounts';
import { AccountsModule } from '../../accounts/accounts.module';
import { ApiKeysModule } from '../../accounts/api-keys/api-keys.module';
import { RecentLogin, VerifiedEmails } from '../../auth';
import { AuthModule } from '../../auth/auth.module';
import { accountOwnedSource, SearchSources } from '../../back-office';
import { SearchModule } from '../../back-office/search/search.module';
import { DeliveryReplayService } from './application/delivery-replay.service';
import { DeliveryScheduler } from './application/delivery-scheduler';
import { EndpointDeliveries } from './application/endpoint-deliveries';
import { EndpointSecretRotation } from './application/endpoint-secret-rotation';
import { EventDispatch } from './application/event-dispatch';
import { ExpiredKeyEndpoints } from './application/expired-key-endpoints';
import { WebhookAttempts } from './application/webhook-attempts';
import { WebhookDeliveriesService } from './application/webhook-deliveries.service';
import { WebhookEndpoints } from './application/webhook-endpoints.service';
import { WebhookMetrics } from './application/webhook-metrics';
import { WebhookPings } from './application/webhook-pings.service';
import { WebhookSigner } from './application/webhook-signer';
import { DisabledNotices } from './domain/disabled-notices';
import { DeliveryReplay } from './domain/delivery-replay';
import { WebhookDeliveries } from './domain/webhook-deliveries';
import { WebhookDeliveriesRepository } from './domain/webhook-deliveries.repository';
import { WebhookEndpointsRepository } from './domain/webhook-endpoints.repository';
import { WebhookSender } from './domain/webhook-sender';
import { WebhookDeliveriesController } from './http/webhook-deliveries.controller';
import { WebhookDeliveriesResponse } from './http/webhook-deliveries.dto';
import { WebhooksController } from './http/webhooks.controller';
import { webhookResponse, WebhookResponse, WebhooksResponse } from './http/webhooks.dto';
import { HttpWebhookSender } from './infrastructure/http-webhook-sender';
import { SqlWebhookDeliveriesRepository } from './infrastructure/sql-webhook-deliveries.repository';
import { TypeormDisabledNotices } from './infrastructure/typeorm-disabled-notices';
import { TypeormWebhookEndpointsRepository } from './infrastructure/typeorm-webhook-endpoints.repository';
import { webhookDeliverySchema } from './infrastructure/webhook-delivery.schema';
import { webhookEndpointSchema } from './infrastructure/webhook-endpoint.schema';
import { webhooksSettings, WebhooksSettings } from './webhooks.settings';

/** Deliveries are deleted after this time, as events are. */
const KEPT_DAYS = 30;

const TESTS_PER_MINUTE = 20;

exportAsCsv(WebhooksController, 'list', WebhooksResponse);
exportAsCsv(WebhookDeliveriesController, 'list', WebhookDeliveriesResponse);

/** Delivers the events of accounts to the endpoints that they name. */
@Module({
  imports: [AccountsModule, ApiKeysModule, AuthModule, SearchModule],
  controllers: [WebhooksController, WebhookDeliveriesController],
  providers: [
    { provide: WebhookDeliveries, useClass: WebhookDeliveriesService },
    WebhookAttempts,
    WebhookMetrics,
    WebhookSigner,
    EventDispatch,
    EndpointDeliveries,
    DeliveryScheduler,
    { provide: DeliveryReplay, useClass: DeliveryReplayService },
    EndpointSecretRotation,
    ExpiredKeyEndpoints,
    {
      provide: WebhookEndpoints,
      inject: [
        Database,
        WebhookEndpointsRepository,
        AccountStore,
        EventTypes,
        SecretCipher,
        AuditTrail,
        WebhookSender,
        webhooksSettings.token,
        RecentLogin,
        ApiKeys,
        VerifiedEmails,
      ],
      useFactory: (...parts: ConstructorParameters<typeof WebhookEndpoints>) =>
        new WebhookEndpoints(...parts),
    },
    {
      provide: WebhookPings,
      inject: [Database, WebhookEndpoints, WebhookAttempts, EventTypes, DataSource, AuditTrail],
      useFactory: (
        database: Database,
        endpoints: WebhookEndpoints,
        attempts: WebhookAttempts,
        eventTypes: EventTypes,
        dataSource: DataSource,
        audit: AuditTrail,
      ) => {
        const limit = new SharedLimit(dataSource, 'webhook-tests', TESTS_PER_MINUTE, MINUTE_MS / SECOND_MS);
        return new WebhookPings(database, endpoints, attempts, eventTypes, limit, audit);
      },
    },
    {
      provide: SecretCipher,
      inject: [secretsSettings.token],
      useFactory: (secrets: Secrets) => new SecretCipher(secrets, 'webhook secret'),
    },
    {
      provide: WebhookSender,
      inject: [webhooksSettings.token],
      useFactory: (settings: WebhooksSettings) => new HttpWebhookSender(settings),
    },
    { provide: DisabledNotices, useClass: TypeormDisabledNotices },
    { provide: WebhookEndpointsRepository, useClass: TypeormWebhookEndpointsRepository },
    { provide: WebhookDeliveriesRepository, useClass: SqlWebhookDeliveriesRepository },
    register(SearchSources, [WebhookEndpoints], (reader) =>
      accountOwnedSource({
        name: 'webhook_endpoint',
        scope: 'webhooks',
        reader,
        filters: () => [],
        render: webhookResponse,
      }),
    ),
    register(AccountAccess, [WebhookEndpoints], (endpoints) => ({
      name: 'webhooks',
      revokeAll: (tx, actor, account) => endpoints.takeOver(tx, actor, account),
    })),
    register(ClosingHooks, [WebhookEndpoints], (endpoints) => ({
      name: 'webhooks',
      cancelPending: (tx, account, now) => endpoints.disableAllOf(tx, account, now),
    })),
    register(ApiKeyListeners, [WebhookEndpoints], (endpoints) => ({
      name: 'webhooks',
      revoked: (tx, actor, key, now) => endpoints.disableAllOfKey(tx, actor, key, now),
    })),
    register(PeriodicTasks, [EventDispatch], (dispatch) => dispatch),
    register(PeriodicTasks, [DeliveryScheduler], (scheduler) => scheduler),
    register(PeriodicTasks, [EndpointSecretRotation], (rotation) => rotation),
    register(PeriodicTasks, [ExpiredKeyEndpoints], (expiredKeys) => expiredKeys),
    register(PeriodicTasks, [WebhookDeliveriesRepository], (deliveries) => ({
      name: 'old webhook deliveries',
      intervalMs: MINUTE_MS,
      run: (now) => deliveries.deleteOld(new Date(now.getTime() - KEPT_DAYS * DAY_MS)),
    })),
  ],
  exports: [WebhookDeliveries, DisabledNotices],
})
export class WebhooksModule {}

export const webhooks: ServiceModule = {
  module: WebhooksModule,
  entities: [webhookEndpointSchema, webhookDeliverySchema],
  settings: [webhooksSettings],
  idPrefixes: ['whk', 'whd'],
  events: [
    {
      resource: 'webhook_endpoint',
      scope: 'webhooks',
      actions: { ping: 'Someone tests the endpoint. This event is not stored.' },
      response: WebhookResponse,
      render: webhookResponse,
    },
  ],
  tags: [{ name: 'Webhooks', description: 'Endpoints to which the events of an account are delivered.' }],
};
