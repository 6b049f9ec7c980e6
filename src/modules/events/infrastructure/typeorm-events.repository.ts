import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { idRange } from '../../../kernel/ids';
import { AccountOwnedTable } from '../../../platform/database/account-owned-table';
import { Database } from '../../../platform/database/database';
import { Table } from '../../../platform/database/table';
import { Tx } from '../../../platform/database/tx';
import { Event } from '../domain/event';
import { EventFilter, EventsRepository } from '../domain/events.repository';
import { eventListFilters, eventSchema, FeedEntry, feedEntrySchema } from './event.schema';

/** How many events are deleted at a time. */
const DELETE_BATCH = 1_000;

type Key = Readonly<Record<'account_id' | 'id', string>>;

@Injectable()
export class TypeormEventsRepository
  extends AccountOwnedTable<Event, EventFilter>
  implements EventsRepository
{
  private readonly feed: Table<FeedEntry>;

  constructor(database: Database, dataSource: DataSource) {
    super(database, dataSource, eventSchema, eventListFilters);
    this.feed = new Table(dataSource, feedEntrySchema);
  }

  addToFeed(tx: Tx, { accountId, id: eventId }: Event): void {
    tx.enqueueInsert(this.feed.insert({ accountId, eventId }));
  }

  async takeFromFeed(tx: Tx, limit: number): Promise<Event[]> {
    const sql = 'SELECT account_id, event_id AS id FROM event_outbox ORDER BY event_id LIMIT $1';
    const oldest = await tx.query<Key>(sql, [limit]);
    if (oldest.length === 0) return [];
    // A delete also locks: of callers at the same time, one deletes an entry, and the others wait and do not find it.
    const taken = await tx.query<Key>(
      `DELETE FROM event_outbox WHERE account_id = ANY ($1) AND event_id = ANY ($2)
       RETURNING account_id, event_id AS id`,
      columnsOf(oldest),
    );
    if (taken.length === 0) return [];
    return this.select(tx, 'WHERE account_id = ANY ($1) AND id = ANY ($2) ORDER BY id', columnsOf(taken));
  }

  /** Ids start with the millisecond of the event, so the index of the ids finds the oldest. */
  async deleteRecordedBefore(time: Date): Promise<boolean> {
    const { before } = idRange('evt', undefined, new Date(time.getTime() - 1));
    const sql = 'SELECT account_id, id FROM events WHERE id < $1 ORDER BY id LIMIT $2';
    const old = await this.database.query<Key>(sql, [before, DELETE_BATCH]);
    if (old.length > 0) {
      const deletion = 'DELETE FROM events WHERE account_id = ANY ($1) AND id = ANY ($2)';
      await this.database.query(deletion, columnsOf(old));
    }
    return old.length === DELETE_BATCH;
  }
}

/** The accounts and the ids of rows. The accounts select the partitions; the ids are unique by themselves. */
function columnsOf(keys: readonly Key[]): [accountIds: string[], ids: string[]] {
  return [[...new Set(keys.map((key) => key.account_id))], keys.map(({ id }) => id)];
}
