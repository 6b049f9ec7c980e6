import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { PageRequest } from '../../../kernel/pages';
import { batchedReads } from '../../../platform/database/batched-reads';
import { Database } from '../../../platform/database/database';
import { Table } from '../../../platform/database/table';
import { Tx } from '../../../platform/database/tx';
import { ApiKey } from '../domain/api-key';
import { ApiKeysRepository } from '../domain/api-keys.repository';
import { apiKeySchema } from './api-key.schema';

/** A range of the index api_keys_account_expiry: keys that have expired are not read. */
const LIVE = `revoked_at IS NULL AND COALESCE(expires_at, 'infinity') > $1`;

@Injectable()
export class TypeormApiKeysRepository extends ApiKeysRepository {
  private readonly table: Table<ApiKey>;
  /** Every request with a key reads its row; concurrent requests share one statement. */
  private readonly findOne = batchedReads((hashes) => this.findAll(hashes));

  constructor(
    private readonly database: Database,
    dataSource: DataSource,
  ) {
    super();
    this.table = new Table(dataSource, apiKeySchema);
  }

  find(hash: string): Promise<ApiKey | null> {
    return this.findOne(hash);
  }

  private async findAll(hashes: readonly string[]): Promise<Map<string, ApiKey>> {
    const sql = `SELECT ${this.table.columns} FROM api_keys WHERE hash = ANY($1)`;
    const rows = await this.database.query(sql, [hashes]);
    return new Map(rows.map((row) => [row['hash'], this.table.entity(row)]));
  }

  async findById(id: string): Promise<ApiKey | null> {
    const [row] = await this.database.query(`SELECT ${this.table.columns} FROM api_keys WHERE id = $1`, [id]);
    return row === undefined ? null : this.table.entity(row);
  }

  async accountOf(tx: Tx, id: string): Promise<string | null | undefined> {
    const [row] = await tx.read<{ account_id: string | null }>(
      'SELECT account_id FROM api_keys WHERE id = $1',
      [id],
    );
    return row?.account_id;
  }

  async lock(tx: Tx, id: string): Promise<ApiKey | null> {
    const row = await tx.lockRow(`SELECT ${this.table.columns} FROM api_keys WHERE id = $1`, [id]);
    return row && this.table.entity(row);
  }

  async lockLive(tx: Tx, accountId: string, now: Date): Promise<ApiKey[]> {
    const sql = `SELECT ${this.table.columns} FROM api_keys WHERE account_id = $2 AND ${LIVE} ORDER BY id FOR UPDATE`;
    return (await tx.query(sql, [now, accountId])).map((row) => this.table.entity(row));
  }

  async findLive(accountId: string | null, now: Date, { page, limit }: PageRequest): Promise<ApiKey[]> {
    const [condition, values] = ofAccount(accountId, 4);
    // The live keys are few. OFFSET 0 keeps the planner from reading all keys in the order of their ids instead.
    const sql = `SELECT * FROM (
                   SELECT ${this.table.columns} FROM api_keys WHERE ${condition} AND ${LIVE} OFFSET 0
                 ) AS live ORDER BY id DESC LIMIT $2 OFFSET $3`;
    const rows = await this.database.query(sql, [now, limit, (page - 1) * limit, ...values]);
    return rows.map((row) => this.table.entity(row));
  }

  async countLive(tx: Tx, accountId: string | null, now: Date): Promise<number> {
    const [condition, values] = ofAccount(accountId, 2);
    const sql = `SELECT count(*)::int AS count FROM api_keys WHERE ${condition} AND ${LIVE}`;
    const [row] = await tx.query(sql, [now, ...values]);
    return (row as { count: number }).count;
  }

  add(tx: Tx, key: ApiKey): void {
    const { sql, params } = this.table.insert(key);
    tx.enqueue(sql, params);
  }

  save(tx: Tx, key: ApiKey): void {
    const { sql, params } = this.table.update(key);
    tx.enqueue(sql, params);
  }

  async recordUse(id: string, now: Date, unlessAfter: Date): Promise<void> {
    const sql = `UPDATE api_keys SET last_used_at = $2 WHERE id = $1 AND (last_used_at IS NULL OR last_used_at <= $3)`;
    await this.database.query(sql, [id, now, unlessAfter]);
  }
}

/** Returns the condition on the account, with its value as the parameter of that number. */
function ofAccount(accountId: string | null, parameter: number): [string, string[]] {
  return accountId === null ? ['account_id IS NULL', []] : [`account_id = $${parameter}`, [accountId]];
}
