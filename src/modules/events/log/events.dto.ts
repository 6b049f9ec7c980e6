import { FormatParam, ListFormat, CursorListQuery, OrderParam } from '../../../platform/http/list-query';
import { StringField } from '../../../platform/http/request-fields';
import {
  CursorListResponse,
  exampleId,
  ResponseField,
  Timestamp,
} from '../../../platform/http/response-fields';

/** Some fifty types, and the commas between them. */
const MAX_TYPES_CHARACTERS = 2_000;

export class ListEventsQuery extends CursorListQuery('evt', 'events', {
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

export class EventsResponse extends CursorListResponse(EventResponse) {}
