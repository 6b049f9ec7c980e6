import { EntitySchema } from 'typeorm';
import type { ListFilters } from '../../../../platform/database/lists/list-filters';
import { listIndices } from '../../../../platform/database/lists/list-filters';
import { Event } from '../domain/event';

/** The events of one object are few, and all belong to its account, so they need one index only. */
export const eventListFilters: ListFilters<'type'> = {
  prefix: 'evt',
  table: 'events',
  keys: { type: { column: 'type' } },
  enums: {},
  selective: { objectId: { column: 'object_id' } },
};

export const eventSchema = new EntitySchema<Event>({
  name: 'Event',
  target: Event,
  tableName: 'events',
  columns: {
    accountId: { name: 'account_id', type: 'text', primary: true },
    id: { type: 'text', primary: true },
    type: { type: 'text' },
    objectId: { name: 'object_id', type: 'text' },
    sequence: { type: 'integer' },
    object: { type: 'json' },
    createdAt: { name: 'created_at', type: 'timestamptz', precision: 3 },
  },
  indices: [...listIndices(eventListFilters), { name: 'events_object', columns: ['objectId', 'id'] }],
});

/** An event that is still to be delivered. */
export interface FeedEntry {
  readonly accountId: string;
  readonly eventId: string;
}

/** The feed is empty most of the time: an event is on it from its transaction until it is taken. */
export const feedEntrySchema = new EntitySchema<FeedEntry>({
  name: 'FeedEntry',
  tableName: 'event_outbox',
  columns: {
    accountId: { name: 'account_id', type: 'text', primary: true },
    eventId: { name: 'event_id', type: 'text', primary: true },
  },
  indices: [{ name: 'event_outbox_oldest', columns: ['eventId'] }],
});
