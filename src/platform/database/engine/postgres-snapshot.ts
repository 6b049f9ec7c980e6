import type { PoolClient, QueryResultRow } from 'pg';
import type { Snapshot } from '../tx';
import { prepared } from './connection';

/** A snapshot in the transaction that `client` has begun. */
export class PostgresSnapshot implements Snapshot {
  private cursors = 0;

  constructor(private readonly client: PoolClient) {}

  async query<Row extends QueryResultRow>(sql: string, params: readonly unknown[]): Promise<Row[]> {
    return (await this.client.query<Row>(prepared(sql, params))).rows;
  }

  async *stream<Row extends QueryResultRow>(sql: string, batchSize: number): AsyncIterable<Row[]> {
    this.cursors += 1;
    const cursor = `snapshot_${this.cursors}`;
    await this.client.query(`DECLARE ${cursor} NO SCROLL CURSOR FOR ${sql}`);
    for (;;) {
      const { rows } = await this.client.query<Row>(`FETCH ${batchSize} FROM ${cursor}`);
      if (rows.length > 0) yield rows;
      if (rows.length < batchSize) break;
    }
    await this.client.query(`CLOSE ${cursor}`);
  }
}
