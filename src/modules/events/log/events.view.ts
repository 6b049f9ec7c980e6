import { Injectable } from '@nestjs/common';
import { isId } from '../../../kernel/ids';
import { EventTypes } from '../../../platform/events/event-types';
import { ApiVersions, asResponse } from '../../../platform/versions/api-versions';
import { Event, EventRenderer } from './event';
import { EventResponse } from './events.dto';

@Injectable()
export class EventsView extends EventRenderer {
  constructor(
    private readonly types: EventTypes,
    private readonly versions: ApiVersions,
  ) {
    super();
  }

  render({
    id,
    type,
    accountId,
    objectId,
    sequence,
    createdAt,
    object,
    apiVersion,
  }: Readonly<Event>): EventResponse {
    return {
      id,
      type,
      account_id: isId('acc', accountId) ? accountId : null,
      object_id: objectId,
      sequence,
      created_at: createdAt.toISOString(),
      data: { object: this.describe(type, object, apiVersion) },
    };
  }

  renderIn(version: string, event: Readonly<Event>): object {
    return this.versions.pinned(version).convert(EventResponse, this.render(event));
  }

  /** An extension that the service no longer has may have recorded the event. */
  private describe(type: string, object: object, version: string): object {
    return this.types.has(type) ? asResponse(this.types.get(type).response, object, version) : object;
  }
}
