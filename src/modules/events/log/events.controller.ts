import { Controller, Get, Query, StreamableFile } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { listOrCsv } from '../../../platform/http/csv-export';
import { parseListRequest } from '../../../platform/http/list-query';
import { IdParam, Operation } from '../../../platform/http/operation';
import { cursorListResponse } from '../../../platform/http/response-fields';
import { Principal } from '../../auth';
import { Caller } from '../../auth/http';
import { cursorExpired, Events } from './events.service';
import { EventsView } from './events.view';
import { EventResponse, EventsResponse, ListEventsQuery } from './events.dto';

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
      "The changes of the last 30 days, newest first: those of the token's account, or all for admins and platform systems. An API key sees those that show what its other scopes read. To follow them, call it with `order=asc` and, in `starting_after`, the id of the last event that you have.",
    errors: [cursorExpired],
    response: { type: EventsResponse, description: 'One page.' },
    alsoAs: ['text/csv'],
  })
  list(
    @Caller() caller: Principal,
    @Query() query: ListEventsQuery,
  ): Promise<EventsResponse | StreamableFile> {
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
  async get(
    @Caller() caller: Principal,
    @IdParam('event_id', 'evt', 'The id of the event.') id: string,
  ): Promise<EventResponse> {
    return this.renderer.render(await this.events.get(caller, id));
  }
}
