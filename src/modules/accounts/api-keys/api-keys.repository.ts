import { Injectable } from '@nestjs/common';
import { DataSource, EntitySchema, FindOptionsWhere, IsNull, Repository, SelectQueryBuilder } from 'typeorm';
import { PageRequest } from '../../../kernel/pages';
import { batchedReads } from '../../../platform/database/batched-reads';
import { Database, Tx } from '../../../platform/database/database';
import { enqueueWrite } from '../../../platform/database/repositories';
import { apiVersion, eventCount, Table } from '../../../platform/database/table';
import { EventRecorder } from '../../../platform/events/event-recorder';
import { ApiKey } from './api-key';

export const apiKeySchema = new EntitySchema<ApiKey>({
  name: 'ApiKey',
  target: ApiKey,
  tableName: 'api_keys',
  columns: {
    id: { type: 'text', primary: true, update: false },
    hash: { type: 'text', update: false },
    accountId: { name: 'account_id', type: 'text', nullable: true, update: false },
    role: { type: 'text', update: false },
    name: { type: 'text', update: false },
    lastFour: { name: 'last_four', type: 'text', update: false },
    scopes: { type: 'text', array: true, update: false },
    allowedAddresses: { name: 'allowed_addresses', type: 'text', array: true, update: false },
    apiVersion: { ...apiVersion, update: false },
    createdAt: { name: 'created_at', type: 'timestamptz', precision: 3, update: false },
    // Written by a separate statement; this keeps a revocation from overwriting it.
    lastUsedAt: { name: 'last_used_at', type: 'timestamptz', precision: 3, nullable: true, update: false },
    expiresAt: { name: 'expires_at', type: 'timestamptz', precision: 3, nullable: true, update: false },
    revokedAt: { name: 'revoked_at', type: 'timestamptz', precision: 3, nullable: true },
    eventCount,
  },
  checks: [{ expression: "role IN ('user', 'platform') AND (role = 'platform') = (account_id IS NULL)" }],
  indices: [
    { name: 'api_keys_hash', columns: ['hash'], unique: true },
    // An expression, which TypeORM cannot declare: the time of expiry, or infinity.
    { name: 'api_keys_account_expiry', columns: ['accountId', 'expiresAt'], synchronize: false },
  ],
});

/** A range of the index api_keys_account_expiry: keys that have expired are not read. */
const live = (now: string): string => `revoked_at IS NULL AND COALESCE(expires_at, 'infinity') > ${now}`;

@Injectable()
export class ApiKeysRepository {
  private readonly table: Table<ApiKey>;
  private readonly keys: Repository<ApiKey>;
  /** Every request with a key reads its row; concurrent requests share one statement. */
  private readonly findOne = batchedReads((hashes) => this.findAll(hashes));

  constructor(
    private readonly database: Database,
    private readonly events: EventRecorder,
    dataSource: DataSource,
  ) {
    this.table = new Table(dataSource, apiKeySchema);
    this.keys = database.repository(apiKeySchema);
  }

  /** Finds a key by its hash, also one that is revoked or expired. */
  find(hash: string): Promise<ApiKey | null> {
    return this.findOne(hash);
  }

  /** In SQL, since every request with a key waits for it. */
  private async findAll(hashes: readonly string[]): Promise<Map<string, ApiKey>> {
    const sql = `SELECT ${this.table.columns} FROM api_keys WHERE hash = ANY($1)`;
    const rows = await this.database.query(sql, [hashes]);
    return new Map(rows.map((row) => [row['hash'], this.table.entity(row)]));
  }

  /** Finds a key by its id, also one that is revoked or expired. */
  findById(id: string): Promise<ApiKey | null> {
    return this.keys.findOneBy({ id });
  }

  /** Finds the account of a key, which is locked before the key: null for a platform key, undefined for no key. */
  async findAccount(tx: Tx, id: string): Promise<string | null | undefined> {
    return (await tx.repository(apiKeySchema).findOneBy({ id }))?.accountId;
  }

  lock(tx: Tx, id: string): Promise<ApiKey | null> {
    return tx.repository(apiKeySchema).findOne({ where: { id }, lock: { mode: 'pessimistic_write' } });
  }

  lockLive(tx: Tx, accountId: string, now: Date): Promise<ApiKey[]> {
    return selectLive(tx, accountId, now).orderBy('key.id').setLock('pessimistic_write').getMany();
  }

  /** Returns one page of the live keys, newest first. @param accountId null for the keys with the role `platform` */
  async findLive(accountId: string | null, now: Date, { page, limit }: PageRequest): Promise<ApiKey[]> {
    const condition = accountId === null ? 'account_id IS NULL' : 'account_id = $4';
    const account = accountId === null ? [] : [accountId];
    // The live keys are few. OFFSET 0 keeps the planner from reading all keys in the order of their ids instead.
    const sql = `SELECT * FROM (
                   SELECT ${this.table.columns} FROM api_keys WHERE ${condition} AND ${live('$1')} OFFSET 0
                 ) AS live ORDER BY id DESC LIMIT $2 OFFSET $3`;
    const rows = await this.database.query(sql, [now, limit, (page - 1) * limit, ...account]);
    return rows.map((row) => this.table.entity(row));
  }

  /** Counts the live keys. @param accountId null for the keys with the role `platform` */
  countLive(tx: Tx, accountId: string | null, now: Date): Promise<number> {
    return selectLive(tx, accountId, now).getCount();
  }

  add(tx: Tx, key: ApiKey): void {
    this.events.write(tx, key);
    enqueueWrite(tx, this.keys.createQueryBuilder().insert().values(key));
  }

  save(tx: Tx, key: ApiKey): void {
    this.events.write(tx, key);
    enqueueWrite(tx, this.keys.createQueryBuilder().update().set(key).where({ id: key.id }));
  }

  /** In SQL, since an update of the entity leaves the column out. */
  async recordUse(id: string, now: Date): Promise<void> {
    await this.database.query('UPDATE api_keys SET last_used_at = $2 WHERE id = $1', [id, now]);
  }
}

function selectLive(tx: Tx, accountId: string | null, now: Date): SelectQueryBuilder<ApiKey> {
  const where: FindOptionsWhere<ApiKey> = { accountId: accountId ?? IsNull() };
  return tx.repository(apiKeySchema).createQueryBuilder('key').where(where).andWhere(live(':now'), { now });
}
