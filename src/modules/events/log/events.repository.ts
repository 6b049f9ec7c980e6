import { Injectable } from '@nestjs/common';
import { DataSource, EntitySchema } from 'typeorm';
import { idRange, isId, timeOfId } from '../../../kernel/ids';
import type { AccountOwnedFilter, ListOrder } from '../../../platform/database/account-owned-repository';
import { AccountOwnedTable, idsByAccount } from '../../../platform/database/account-owned-table';
import { Database, Tx } from '../../../platform/database/database';
import { type ListFilters, listIndices } from '../../../platform/database/lists/list-filters';
import { apiVersion, Table } from '../../../platform/database/table';
import { Event, EventSum, EventSums, SummedEvents } from './event';

export type EventFilter = Omit<AccountOwnedFilter<Event>, 'type'> &
  ListOrder & {
    /** One type, or any of several. */
    readonly type?: string | readonly string[];
  };

interface DequeuedEvents {
  readonly events: Event[];
  /** The account of the last of them, which may have more. */
  readonly last: string;
}

/** The events of one object are few, and all belong to its account, so they need one index only. */
const eventListFilters: ListFilters = {
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
    apiVersion,
    createdAt: { name: 'created_at', type: 'timestamptz', precision: 3 },
  },
  indices: [...listIndices(eventListFilters), { name: 'events_object', columns: ['objectId', 'id'] }],
});

/** An event that is still to be delivered. */
interface FeedEntry {
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

/** The newest event of an account that was deleted. */
interface EventPurge {
  readonly accountId: string;
  readonly eventId: string;
}

/** A row for each account, and one for all events that belong to none. The index serves the list of all accounts. */
export const eventPurgeSchema = new EntitySchema<EventPurge>({
  name: 'EventPurge',
  tableName: 'event_purges',
  columns: {
    accountId: { name: 'account_id', type: 'text', primary: true },
    eventId: { name: 'event_id', type: 'text' },
  },
  indices: [{ name: 'event_purges_newest', columns: ['eventId'] }],
});

/** How many events are deleted at a time. */
const DELETE_BATCH = 1_000;
const MAX_COUNT = 10_000;
/** Stands for the account of events that belong to none. */
const NO_ACCOUNT = '';

interface SumRow {
  readonly hour: Date;
  readonly type: string;
  readonly member_values: readonly (string | null)[];
  readonly count: number;
  readonly sum: string;
}

type Key = Readonly<Record<'account_id' | 'id', string>>;

/** In SQL, since each change adds events, which a group merges, and the feed is read across accounts. */
@Injectable()
export class EventsRepository extends AccountOwnedTable<Event, EventFilter> implements EventSums {
  private readonly feed: Table<FeedEntry>;

  constructor(database: Database, dataSource: DataSource) {
    super(database, dataSource, eventSchema, eventListFilters);
    this.feed = new Table(dataSource, feedEntrySchema);
  }

  addToFeed(tx: Tx, { accountId, id: eventId }: Event): void {
    tx.enqueueInsert(this.feed.insert({ accountId, eventId }));
  }

  /**
   * Removes events from the feed, account by account in the order of their ids, the oldest of each first. Several callers at
   * a time get different events: a delete also locks, so one gets an entry, and the others wait and do not find it.
   * @param after begins with the accounts after this one, and comes to it last
   */
  async dequeueFromFeed(tx: Tx, after: string, limit: number): Promise<DequeuedEvents> {
    const page = async (condition: string, rest: number): Promise<Key[]> => {
      const rows = await this.database.sweep<Key>(
        'event_outbox',
        (name) => `SELECT account_id, event_id AS id FROM ${name}
          WHERE account_id ${condition} $1 ORDER BY account_id, event_id LIMIT $2`,
        [after, rest],
        tx,
      );
      const place = (key: Key): string => `${key.account_id} ${key.id}`;
      return rows.toSorted((one, other) => (place(one) < place(other) ? -1 : 1)).slice(0, rest);
    };
    const entries = await page('>', limit);
    if (entries.length < limit && after !== '') entries.push(...(await page('<=', limit - entries.length)));
    const events: Event[] = [];
    for (const [accountId, ids] of idsByAccount(entries)) {
      const deleted = await tx.query<Pick<Key, 'id'>>(
        'DELETE FROM event_outbox WHERE account_id = $1 AND event_id = ANY ($2) RETURNING event_id AS id',
        [accountId, ids],
      );
      const rest = 'WHERE account_id = $1 AND id = ANY ($2) ORDER BY id';
      events.push(...(await this.select(tx, rest, [accountId, deleted.map(({ id }) => id)])));
    }
    return { events, last: entries.at(-1)?.account_id ?? '' };
  }

  /** Counts the events on the feed, up to 10,000. */
  async countOnFeed(): Promise<number> {
    const sql = `SELECT count(*)::int AS count FROM (SELECT 1 FROM event_outbox LIMIT ${MAX_COUNT}) waiting`;
    const [row] = await this.database.query<{ count: number }>(sql, []);
    return row!.count;
  }

  /** When the oldest event on the feed was recorded; null when there is none. */
  async oldestOnFeed(): Promise<Date | null> {
    const [row] = await this.database.query<{ created_at: Date }>(
      `SELECT e.created_at FROM (SELECT account_id, event_id FROM event_outbox ORDER BY event_id LIMIT 1) o
       JOIN events e ON e.account_id = o.account_id AND e.id = o.event_id`,
      [],
    );
    return row?.created_at ?? null;
  }

  /**
   * Deletes a bounded number of events that were recorded before a time. Ids start with the millisecond of the event, so the
   * index of the ids finds the oldest.
   * @returns whether there may be more
   */
  deleteRecordedBefore(time: Date): Promise<boolean> {
    const { before } = idRange('evt', undefined, new Date(time.getTime() - 1));
    return this.deleteFirst('id', before, DELETE_BATCH, (tx, accountId, ids) =>
      tx.enqueue(
        `INSERT INTO event_purges (account_id, event_id) VALUES ($1, $2) ON CONFLICT (account_id)
         DO UPDATE SET event_id = greatest(event_purges.event_id, excluded.event_id)`,
        [isId('acc', accountId) ? accountId : NO_ACCOUNT, ids.at(-1)],
      ),
    );
  }

  /** A statement for each type, so that the index of types and ids returns its first event. */
  async firstSince(tx: Tx, types: readonly string[], since: Date): Promise<Date | null> {
    const first = types.map(
      (_, index) =>
        `(SELECT id FROM events WHERE type = $${index + 2} AND id > $1 ORDER BY type NULLS FIRST, id LIMIT 1)`,
    );
    const sql = `SELECT min(id) AS id FROM (${first.join(' UNION ALL ')}) AS firsts`;
    const [row] = await tx.query<{ id: string | null }>(sql, [idRange('evt', since).after, ...types]);
    return row!.id === null ? null : timeOfId(row!.id);
  }

  /** The index of types and ids, which start with the millisecond of the event, finds them. */
  async between(
    source: Pick<Tx, 'query'>,
    { types, by, summed }: SummedEvents,
    from: Date,
    until: Date,
  ): Promise<EventSum[]> {
    const { after, before } = idRange('evt', from, new Date(until.getTime() - 1));
    const rows = await source.query<SumRow>(
      `SELECT date_bin('1 hour', created_at, '1970-01-01T00:00:00Z') AS hour, type,
         ARRAY[${by.map((member) => `object->>'${member}'`).join(', ')}] AS member_values,
         count(*)::float8 AS count, sum((object->>'${summed}')::numeric)::text AS sum
       FROM events WHERE type = ANY ($1) AND id > $2 AND id < $3 GROUP BY 1, 2, 3`,
      [types, after, before],
    );
    return rows.map(({ hour, type, member_values, count, sum }) => ({
      hour,
      eventType: type,
      values: member_values,
      count,
      sum: BigInt(sum),
    }));
  }

  /** @param accountId the account to look in; undefined looks in all accounts */
  async hasDeletedAfter(id: string, accountId?: string): Promise<boolean> {
    const sql = `SELECT FROM event_purges WHERE event_id > $1 ${accountId === undefined ? '' : 'AND account_id = $2'} LIMIT 1`;
    const params = accountId === undefined ? [id] : [id, accountId];
    return (await this.database.query(sql, params)).length > 0;
  }
}
