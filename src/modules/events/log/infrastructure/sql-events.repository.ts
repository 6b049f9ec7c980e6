import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { idRange } from '../../../../kernel/ids';
import { AccountOwnedTable, idsByAccount } from '../../../../platform/database/account-owned-table';
import { Database } from '../../../../platform/database/database';
import { Table } from '../../../../platform/database/table';
import { Tx } from '../../../../platform/database/tx';
import { Event } from '../domain/event';
import { DequeuedEvents, EventFilter, EventsRepository } from '../domain/events.repository';
import { eventListFilters, eventSchema, FeedEntry, feedEntrySchema } from './event.schema';

/** How many events are deleted at a time. */
const DELETE_BATCH = 1_000;
const MAX_COUNT = 10_000;

type Key = Readonly<Record<'account_id' | 'id', string>>;

/** In SQL, since each change adds events, which a group merges, and the feed is read across accounts. */
@Injectable()
export class SqlEventsRepository extends AccountOwnedTable<Event, EventFilter> implements EventsRepository {
  private readonly feed: Table<FeedEntry>;

  constructor(database: Database, dataSource: DataSource) {
    super(database, dataSource, eventSchema, eventListFilters);
    this.feed = new Table(dataSource, feedEntrySchema);
  }

  addToFeed(tx: Tx, { accountId, id: eventId }: Event): void {
    tx.enqueueInsert(this.feed.insert({ accountId, eventId }));
  }

  /** A delete also locks: of callers at the same time, one gets an entry, and the others wait and do not find it. */
  async dequeueFromFeed(tx: Tx, after: string, limit: number): Promise<DequeuedEvents> {
    const page = (condition: string, rest: number): Promise<Key[]> =>
      tx.query<Key>(
        `SELECT account_id, event_id AS id FROM event_outbox
         WHERE account_id ${condition} $1 ORDER BY account_id, event_id LIMIT $2`,
        [after, rest],
      );
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

  async countOnFeed(): Promise<number> {
    const sql = `SELECT count(*)::int AS count FROM (SELECT 1 FROM event_outbox LIMIT ${MAX_COUNT}) waiting`;
    const [row] = await this.database.query<{ count: number }>(sql, []);
    return row!.count;
  }

  async oldestOnFeed(): Promise<Date | null> {
    const [row] = await this.database.query<{ created_at: Date }>(
      `SELECT e.created_at FROM (SELECT account_id, event_id FROM event_outbox ORDER BY event_id LIMIT 1) o
       JOIN events e ON e.account_id = o.account_id AND e.id = o.event_id`,
      [],
    );
    return row?.created_at ?? null;
  }

  /** Ids start with the millisecond of the event, so the index of the ids finds the oldest. */
  deleteRecordedBefore(time: Date): Promise<boolean> {
    const { before } = idRange('evt', undefined, new Date(time.getTime() - 1));
    return this.deleteFirst('id', before, DELETE_BATCH);
  }
}
