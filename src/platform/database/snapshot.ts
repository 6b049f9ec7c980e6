import { PoolClient, QueryResultRow } from 'pg';

/** The database as it stood at one moment, however long the reading takes. Nothing can be written through it. */
export class Snapshot {
  private cursors = 0;

  constructor(private readonly client: PoolClient) {}

  /** The rows of a query in batches, without holding them all. */
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
