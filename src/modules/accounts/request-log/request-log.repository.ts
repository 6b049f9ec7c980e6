import { Injectable } from '@nestjs/common';
import { DataSource, EntitySchema } from 'typeorm';
import { idRange } from '../../../kernel/ids';
import { AccountOwnedFilter } from '../../../platform/database/account-owned-repository';
import { AccountOwnedTable } from '../../../platform/database/account-owned-table';
import { Database } from '../../../platform/database/database';
import { ListFilters, listIndices } from '../../../platform/database/lists/list-filters';
import { LoggedRequest } from './logged-request';

export type RequestFilter = AccountOwnedFilter<LoggedRequest>;

/** Successes are in no index but those of the ids, so that they cost little. */
const listFilters: ListFilters = {
  prefix: 'req',
  table: 'request_log',
  keys: { error: { column: 'error', nullable: true } },
  enums: {},
};

export const loggedRequestSchema = new EntitySchema<LoggedRequest>({
  name: 'LoggedRequest',
  target: LoggedRequest,
  tableName: 'request_log',
  columns: {
    accountId: { name: 'account_id', type: 'text', primary: true },
    id: { type: 'text', primary: true },
    requestId: { name: 'request_id', type: 'text' },
    callerId: { name: 'caller_id', type: 'text' },
    method: { type: 'text' },
    path: { type: 'text' },
    httpStatus: { name: 'http_status', type: 'smallint' },
    error: { type: 'text', nullable: true },
    durationMs: { name: 'duration_ms', type: 'integer' },
    createdAt: { name: 'created_at', type: 'timestamptz', precision: 3 },
  },
  indices: listIndices(listFilters),
});

/** How many rows a statement deletes. */
const DELETE_BATCH = 1_000;

/** In SQL, since many rows are inserted with one statement, and the list has a cursor. */
@Injectable()
export class RequestLogRepository extends AccountOwnedTable<LoggedRequest, RequestFilter> {
  constructor(database: Database, dataSource: DataSource) {
    super(database, dataSource, loggedRequestSchema, listFilters);
  }

  async addAll(requests: readonly LoggedRequest[]): Promise<void> {
    for (const { sql, params } of this.table.insertAll(requests)) await this.database.query(sql, params);
  }

  /** @returns whether there may be more */
  deleteOlderThan(time: Date): Promise<boolean> {
    return this.deleteFirst('id', idRange('req', undefined, time).before, DELETE_BATCH);
  }
}
