import { Module } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { DAY_MS, MINUTE_MS, SECOND_MS } from '../../../kernel/clock';
import { SecretCipher } from '../../../platform/config/secret-cipher';
import { Secrets, secretsSettings } from '../../../platform/config/secrets.settings';
import { SharedLimit } from '../../../platform/database/shared-limit';
import { PeriodicTasks } from '../../../platform/jobs/periodic-tasks';
import { register } from '../../../platform/register';
import { ServiceModule } from '../../../platform/service-module';
import { AccountAccess, ApiKeyListeners, ClosingHooks } from '../../accounts';
import { AccountsModule } from '../../accounts/accounts.module';
import { AuthModule } from '../../auth/auth.module';
import { accountOwnedSource, SearchSources } from '../../back-office';
import { SearchModule } from '../../back-office/search/search.module';
import { DeliveryScheduler } from './deliveries/delivery-scheduler.task';
import { EndpointDeliveries } from './deliveries/endpoint-deliveries.service';
import { EndpointLeases } from './deliveries/endpoint-leases.service';
import { EventDispatch } from './deliveries/event-dispatch.task';
import { WebhookDeliveries } from './deliveries/webhook-deliveries';
import { WebhookDeliveriesController } from './deliveries/webhook-deliveries.controller';
import {
  WebhookDeliveriesRepository,
  webhookDeliverySchema,
} from './deliveries/webhook-deliveries.repository';
import { WebhookDeliveriesService } from './deliveries/webhook-deliveries.service';
import { WebhookMetrics } from './deliveries/webhook-metrics.service';
import { DisabledNotices } from './disabled-endpoints';
import { EndedEndpoints } from './ended-endpoints.service';
import { EndpointRules } from './endpoint-rules.service';
import { EndpointSecretRotation, EndpointSecrets } from './endpoint-secrets.service';
import { HttpWebhookSender } from './http-webhook-sender.adapter';
import { WebhookAttempts, WebhookSigner } from './webhook-attempts.service';
import {
  DisabledNoticesRepository,
  webhookEndpointSchema,
  WebhookEndpointsRepository,
} from './webhook-endpoints.repository';
import { WebhookEndpoints } from './webhook-endpoints.service';
import { WebhookPings } from './webhook-pings.service';
import { WebhookSender } from './webhook-sender';
import { WebhooksController } from './webhooks.controller';
import { webhookResponse, WebhookResponse } from './webhooks.dto';
import { webhooksSettings, WebhooksSettings } from './webhooks.settings';

/** Deliveries are deleted after this time, as events are. */
const KEPT_DAYS = 30;

const TESTS_PER_MINUTE = 20;

/** Delivers the events of accounts to the endpoints that they name. */
@Module({
  imports: [AccountsModule, AuthModule, SearchModule],
  controllers: [WebhooksController, WebhookDeliveriesController],
  providers: [
    WebhookEndpoints,
    EndpointRules,
    EndpointSecrets,
    EndpointSecretRotation,
    EndedEndpoints,
    WebhookPings,
    WebhookAttempts,
    WebhookSigner,
    WebhookEndpointsRepository,
    { provide: DisabledNotices, useClass: DisabledNoticesRepository },
    EventDispatch,
    DeliveryScheduler,
    EndpointDeliveries,
    EndpointLeases,
    WebhookMetrics,
    WebhookDeliveriesRepository,
    WebhookDeliveriesService,
    { provide: WebhookDeliveries, useExisting: WebhookDeliveriesService },
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
    {
      provide: SharedLimit,
      inject: [DataSource],
      useFactory: (dataSource: DataSource) =>
        new SharedLimit(dataSource, 'webhook-tests', TESTS_PER_MINUTE, MINUTE_MS / SECOND_MS),
    },
    register(SearchSources, [WebhookEndpoints], (reader) =>
      accountOwnedSource({
        name: 'webhook_endpoint',
        scope: 'webhooks:read',
        reader,
        filters: () => [],
        response: WebhookResponse,
        render: webhookResponse,
      }),
    ),
    register(AccountAccess, [EndedEndpoints], (endpoints) => ({
      name: 'webhooks',
      revokeAll: (tx, actor, account) => endpoints.deleteAtTakeOver(tx, actor, account),
    })),
    register(ClosingHooks, [EndedEndpoints], (endpoints) => ({
      name: 'webhooks',
      cancelPending: (tx, account, now) => endpoints.endWithAccount(tx, account, now),
    })),
    register(ApiKeyListeners, [EndedEndpoints], (endpoints) => ({
      name: 'webhooks',
      revoked: (tx, actor, key, now) => endpoints.endWithRevokedKey(tx, actor, key, now),
    })),
    register(PeriodicTasks, [EventDispatch], (dispatch) => dispatch),
    register(PeriodicTasks, [DeliveryScheduler], (scheduler) => scheduler),
    register(PeriodicTasks, [EndpointSecretRotation], (rotation) => rotation),
    register(PeriodicTasks, [EndedEndpoints], (endpoints) => endpoints),
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
      scope: 'webhooks:read',
      actions: { ping: 'Someone tests the endpoint. This event is not stored.' },
      examples: { ping: { api_key_id: null, disabled_reason: null, failing_since: null } },
      response: WebhookResponse,
      render: webhookResponse,
    },
  ],
  tags: [{ name: 'Webhooks', description: 'Endpoints to which the events of an account are delivered.' }],
};
