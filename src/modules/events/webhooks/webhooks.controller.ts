import { Body, Controller, Delete, Get, Patch, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { IdempotentRequest } from '../../../platform/database/database';
import { listOrCsv } from '../../../platform/http/csv-export';
import { parseListRequest } from '../../../platform/http/list-query';
import { cursorListResponse, MessageResponse } from '../../../platform/http/response-fields';
import { IdParam, Operation } from '../../../platform/http/operation';
import { AccountReader } from '../../accounts';
import { Caller, IdempotencyKey, Principal } from '../../auth/http';
import { EndpointSecrets } from './endpoint-secrets.service';
import { WebhookEndpoints } from './webhook-endpoints.service';
import { WebhookPings } from './webhook-pings.service';
import {
  CreateWebhookRequest,
  ExpireWebhookSecretRequest,
  ListWebhooksQuery,
  UpdateWebhookRequest,
  webhookResponse,
  WebhookResponse,
  WebhooksResponse,
  webhookTestResponse,
  WebhookTestResponse,
  webhookWithSecretResponse,
  WebhookWithSecretResponse,
} from './webhooks.dto';

const [read, write] = ['webhooks:read', 'webhooks:write'];

export const WebhookId = () => IdParam('webhook_id', 'whk', 'The id of the webhook endpoint.');

/** Where the events of an account are delivered to. */
@ApiTags('Webhooks')
@Controller('v1/webhooks')
export class WebhooksController {
  constructor(
    private readonly endpoints: WebhookEndpoints,
    private readonly secrets: EndpointSecrets,
    private readonly pings: WebhookPings,
    private readonly accounts: AccountReader,
  ) {}

  @Post()
  @Operation({
    id: 'createWebhook',
    scope: write,
    summary: 'Create a webhook endpoint',
    description:
      'From now on, the events of the account are delivered to the URL, signed as Standard Webhooks specifies. An account has at most 20 endpoints. Production requires a verified email (`forbidden`). One that an API key creates is disabled when the key is revoked or expires, unless a person has changed it before.',
    idempotent: true,
    errors: ['conflict'],
    response: { type: WebhookWithSecretResponse, description: 'The new webhook endpoint with its secret.' },
  })
  create(
    @Caller() caller: Principal,
    @Body() body: CreateWebhookRequest,
    @IdempotencyKey() request: IdempotentRequest,
  ) {
    return this.endpoints.create(caller, body, {
      ...request,
      render: webhookWithSecretResponse,
      showsSecretOf: ({ endpoint }) => endpoint.id,
    });
  }

  @Get()
  @Operation({
    id: 'listWebhooks',
    scope: read,
    summary: 'List webhook endpoints',
    description:
      "Newest first: the webhook endpoints of the token's account, or of all accounts for admins and platform systems. An API key sees, tests and changes only those that it has created, and sees only their deliveries; the others are `forbidden`.",
    response: { type: WebhooksResponse, description: 'One page.' },
    alsoAs: ['text/csv'],
  })
  list(@Caller() caller: Principal, @Query() query: ListWebhooksQuery) {
    return listOrCsv(
      WebhooksResponse,
      query,
      async (part) => {
        const { filter, page } = parseListRequest(part);
        return cursorListResponse(await this.endpoints.list(caller, filter, page), webhookResponse);
      },
      this.accounts,
    );
  }

  @Get(':webhook_id')
  @Operation({
    id: 'getWebhook',
    scope: read,
    summary: 'Retrieve a webhook endpoint',
    errors: ['not_found'],
    response: { type: WebhookResponse, description: 'The webhook endpoint.' },
  })
  async get(@Caller() caller: Principal, @WebhookId() id: string) {
    return webhookResponse(await this.endpoints.get(caller, id));
  }

  @Patch(':webhook_id')
  @Operation({
    id: 'updateWebhook',
    scope: write,
    summary: 'Update, enable or disable a webhook endpoint',
    description:
      'One that a person changes, for example by enabling it, no longer ends with the API key that created it.',
    errors: ['not_found'],
    optionalBody: UpdateWebhookRequest,
    response: { type: WebhookResponse, description: 'The webhook endpoint after the change.' },
  })
  async update(@Caller() caller: Principal, @WebhookId() id: string, @Body() body: UpdateWebhookRequest) {
    return webhookResponse(await this.endpoints.update(caller, id, body));
  }

  @Post(':webhook_id/secret')
  @Operation({
    id: 'rotateWebhookSecret',
    scope: write,
    summary: 'Rotate the secret of a webhook endpoint',
    description:
      'Deliveries are signed with the new secret and, for 24 hours, also with those that signed before. Only for the account itself.',
    errors: ['not_found', 'conflict'],
    response: { type: WebhookWithSecretResponse, description: 'The webhook endpoint with its new secret.' },
  })
  async rotateSecret(@Caller() caller: Principal, @WebhookId() id: string) {
    return webhookWithSecretResponse(await this.secrets.rotate(caller, id));
  }

  @Post(':webhook_id/secret/expiration')
  @Operation({
    id: 'expireWebhookSecret',
    summary: 'Let the secret of a webhook endpoint expire',
    description:
      'For admins, when a secret has leaked. Deliveries are signed with it for 24 more hours, in which the account has to rotate it. Nobody sees another secret. Production requires a login within the last 15 minutes (`unauthorized`).',
    errors: ['not_found', 'conflict'],
    optionalBody: ExpireWebhookSecretRequest,
    response: { type: WebhookResponse, description: 'The webhook endpoint after the change.' },
  })
  async expireSecret(
    @Caller() caller: Principal,
    @WebhookId() id: string,
    @Body() { reason }: ExpireWebhookSecretRequest,
  ) {
    return webhookResponse(await this.secrets.expire(caller, id, reason));
  }

  @Post(':webhook_id/test')
  @Operation({
    id: 'testWebhook',
    scope: write,
    summary: 'Test a webhook endpoint',
    description:
      'Sends an event of the type `webhook_endpoint.ping` at once, also to a disabled endpoint, and returns how the endpoint responded. At most 20 tests a minute.',
    errors: ['not_found'],
    response: { type: WebhookTestResponse, description: 'The result.' },
  })
  async test(@Caller() caller: Principal, @WebhookId() id: string) {
    return webhookTestResponse(await this.pings.ping(caller, id));
  }

  @Delete(':webhook_id')
  @Operation({
    id: 'deleteWebhook',
    scope: write,
    summary: 'Delete a webhook endpoint',
    description: 'It gets no further events, and pending deliveries are dropped.',
    errors: ['not_found'],
    response: { type: MessageResponse, description: 'The webhook endpoint is deleted.' },
  })
  async delete(@Caller() caller: Principal, @WebhookId() id: string) {
    await this.endpoints.delete(caller, id);
    return { message: 'The webhook endpoint was deleted.' };
  }
}
