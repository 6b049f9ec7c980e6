import { Body, Controller, Get, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { parseTimestamp } from '../../../../kernel/clock';
import { listOrCsv } from '../../../../platform/http/csv-export';
import { parseListRequest } from '../../../../platform/http/list-query';
import { IdParam, Operation } from '../../../../platform/http/operation';
import { cursorListResponse } from '../../../../platform/http/response-fields';
import { Caller, Principal } from '../../../auth/http';
import {
  ListAllDeliveriesQuery,
  ListDeliveriesQuery,
  RedeliverAllRequest,
  RedeliveredBatchResponse,
  RedeliveredResponse,
  RedeliverFailedRequest,
  WebhookDeliveriesResponse,
  webhookDeliveryResponse,
  WebhookDeliveryResponse,
} from './webhook-deliveries.dto';
import { WebhookDeliveriesService } from './webhook-deliveries.service';
import { WebhookId } from '../webhooks.controller';

const [read, write] = ['webhooks:read', 'webhooks:write'];

/** What was delivered to endpoints in the last 30 days, and what is to be delivered. */
@ApiTags('Webhooks')
@Controller('v1')
export class WebhookDeliveriesController {
  constructor(private readonly deliveries: WebhookDeliveriesService) {}

  @Get('webhooks/:webhook_id/deliveries')
  @Operation({
    id: 'listWebhookDeliveries',
    scope: read,
    summary: 'List the deliveries of a webhook endpoint',
    description: 'Those of the last 30 days, newest first.',
    alsoAs: ['text/csv'],
    errors: ['not_found'],
    response: { type: WebhookDeliveriesResponse, description: 'One page.' },
  })
  list(@Caller() caller: Principal, @WebhookId() id: string, @Query() query: ListDeliveriesQuery) {
    return listOrCsv(WebhookDeliveriesResponse, query, async (part) => {
      const { filter, page } = parseListRequest(part);
      return cursorListResponse(
        await this.deliveries.list(caller, id, filter, page),
        webhookDeliveryResponse,
      );
    });
  }

  @Post('webhooks/:webhook_id/deliveries/:delivery_id/redelivery')
  @Operation({
    id: 'redeliverWebhook',
    scope: write,
    summary: 'Deliver an event again',
    description: 'The delivery becomes pending with all of its attempts, whatever its status is.',
    errors: ['not_found', 'conflict'],
    response: { type: WebhookDeliveryResponse, description: 'The delivery, which is pending.' },
  })
  async redeliver(
    @Caller() caller: Principal,
    @WebhookId() id: string,
    @IdParam('delivery_id', 'whd', 'The id of the delivery.') deliveryId: string,
  ) {
    return webhookDeliveryResponse(await this.deliveries.redeliver(caller, id, deliveryId));
  }

  @Post('webhooks/:webhook_id/redeliveries')
  @Operation({
    id: 'redeliverFailedWebhooks',
    scope: write,
    summary: 'Deliver again what failed',
    description:
      'Failed deliveries become pending with all of their attempts: at most 10,000, the latest first.',
    errors: ['not_found', 'conflict'],
    optionalBody: RedeliverFailedRequest,
    response: { type: RedeliveredResponse, description: 'How many deliveries are pending again.' },
  })
  async redeliverFailed(
    @Caller() caller: Principal,
    @WebhookId() id: string,
    @Body() { since }: RedeliverFailedRequest,
  ) {
    const from = parseTimestamp(since, 'up');
    const { count, hasMore } = await this.deliveries.redeliverFailed(caller, id, from);
    return { count, has_more: hasMore };
  }

  @Get('webhook-deliveries')
  @Operation({
    id: 'listAllWebhookDeliveries',
    scope: read,
    summary: 'List the deliveries of all webhook endpoints',
    description: 'For the back office and platform systems: those of the last 30 days, newest first.',
    alsoAs: ['text/csv'],
    response: { type: WebhookDeliveriesResponse, description: 'One page.' },
  })
  listAll(@Caller() caller: Principal, @Query() query: ListAllDeliveriesQuery) {
    return listOrCsv(WebhookDeliveriesResponse, query, async (part) => {
      const { filter, page } = parseListRequest(part);
      return cursorListResponse(await this.deliveries.listAll(caller, filter, page), webhookDeliveryResponse);
    });
  }

  @Post('webhook-deliveries/redeliveries')
  @Operation({
    id: 'redeliverAllFailedWebhooks',
    scope: write,
    summary: 'Deliver again what failed, to all webhook endpoints',
    description:
      'For admins and platform systems: the failed deliveries that the body selects become pending with all of their attempts, one batch in each request, the latest first. Those of disabled endpoints stay failed. Repeat the request with `starting_after` until `last_id` is null. A repeat selects only what is still failed.',
    errors: ['not_found'],
    optionalBody: RedeliverAllRequest,
    response: { type: RedeliveredBatchResponse, description: 'What was done.' },
  })
  async redeliverAll(@Caller() caller: Principal, @Body() body: RedeliverAllRequest) {
    const filter = {
      endpointId: body.webhook_id,
      dateFrom: parseTimestamp(body.since, 'up') ?? undefined,
      dateTo: parseTimestamp(body.until, 'down') ?? undefined,
    };
    const { count, skipped, lastId } = await this.deliveries.redeliverAll(
      caller,
      filter,
      body.starting_after,
    );
    return { count, skipped, last_id: lastId };
  }
}
