import { Controller, Get, Injectable, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { isId } from '../../../kernel/ids';
import { EventTypes } from '../../../platform/events/event-types';
import { listOrCsv } from '../../../platform/http/csv-export';
import {
  CursorListQuery,
  FormatParam,
  ListFormat,
  OrderParam,
  parseListRequest,
} from '../../../platform/http/list-query';
import { IdParam, Operation } from '../../../platform/http/operation';
import { StringField } from '../../../platform/http/request-fields';
import {
  cursorListResponse,
  CursorListResponse,
  exampleId,
  ResponseField,
  Timestamp,
} from '../../../platform/http/response-fields';
import { ApiVersions, asResponse } from '../../../platform/versions/api-versions';
import { Caller, Principal } from '../../auth/http';
import { Event, EventRenderer } from './event';
import { cursorExpired, Events } from './events.service';

/** Some fifty types, and the commas between them. */
const MAX_TYPES_CHARACTERS = 2_000;

class ListEventsQuery extends CursorListQuery('evt', 'events', {
  object_id: { maxCharacters: 64, example: exampleId('txn') },
}) {
  @StringField(0, MAX_TYPES_CHARACTERS, 'transaction.succeeded,transaction.failed', {
    optional: true,
    description: 'Only events of this type, or of these types, separated by commas.',
  })
  type?: string;

  @OrderParam() order?: 'asc' | 'desc';
  @FormatParam() format?: ListFormat;
}

class EventData {
  @ResponseField({
    type: 'object',
    additionalProperties: true,
    example: { id: exampleId('txn'), status: 'succeeded' },
    description: 'The resource after the change, as the operation that retrieves it returned it then.',
  })
  object: object;
}

export class EventResponse {
  @ResponseField({ example: exampleId('evt') }) id: string;
  @ResponseField({ example: 'transaction.succeeded' }) type: string;

  @ResponseField({
    nullable: true,
    example: exampleId('acc'),
    description: 'The account that the event belongs to; null for events that only operators see.',
  })
  account_id: string | null;

  @ResponseField({ example: exampleId('txn'), description: 'The resource that changed.' }) object_id: string;

  @ResponseField({
    type: 'integer',
    format: 'int64',
    minimum: 1,
    example: 2,
    description:
      'Numbers the events of the resource, from 1 without gaps. The highest shows its latest state.',
  })
  sequence: number;

  @Timestamp() created_at: string;
  @ResponseField({ type: EventData }) data: EventData;
}

class EventsResponse extends CursorListResponse(EventResponse) {}

@Injectable()
export class EventsView extends EventRenderer {
  constructor(
    private readonly types: EventTypes,
    private readonly versions: ApiVersions,
  ) {
    super();
  }

  render(event: Readonly<Event>): EventResponse {
    const { id, type, accountId, objectId, sequence, createdAt } = event;
    return {
      id,
      type,
      account_id: isId('acc', accountId) ? accountId : null,
      object_id: objectId,
      sequence,
      created_at: createdAt.toISOString(),
      data: { object: this.describe(event) },
    };
  }

  renderIn(version: string, event: Readonly<Event>): object {
    return this.versions.pinned(version).convert(EventResponse, this.render(event));
  }

  /** An extension that the service no longer has may have recorded the event. */
  private describe({ type, object, apiVersion }: Readonly<Event>): object {
    return this.types.has(type) ? asResponse(this.types.get(type).response, object, apiVersion) : object;
  }
}

/** What has changed in the last 30 days. */
@ApiTags('Events')
@Controller('v1/events')
export class EventsController {
  constructor(
    private readonly events: Events,
    private readonly renderer: EventsView,
  ) {}

  @Get()
  @Operation({
    id: 'listEvents',
    summary: 'List events',
    scope: 'events:read',
    description:
      "The changes of the last 30 days, newest first: those of the token's account, or all for admins, and for platform systems all but those of approvals and API keys. An API key sees those that show what its other scopes read. To follow them, call it with `order=asc` and, in `starting_after`, the id of the last event that you have.",
    errors: [cursorExpired],
    response: { type: EventsResponse, description: 'One page.' },
    alsoAs: ['text/csv'],
  })
  list(@Caller() caller: Principal, @Query() query: ListEventsQuery) {
    return listOrCsv(EventsResponse, query, async (part) => {
      const { filter, page } = parseListRequest(part);
      const types = { type: filter.type?.split(',') };
      const events = await this.events.list(caller, { ...filter, ...types }, page);
      return cursorListResponse(events, (event) => this.renderer.render(event));
    });
  }

  @Get(':event_id')
  @Operation({
    id: 'getEvent',
    summary: 'Retrieve an event',
    scope: 'events:read',
    errors: ['not_found'],
    response: { type: EventResponse, description: 'The event.' },
  })
  async get(@Caller() caller: Principal, @IdParam('event_id', 'evt', 'The id of the event.') id: string) {
    return this.renderer.render(await this.events.get(caller, id));
  }
}
