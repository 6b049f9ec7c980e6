import { Injectable } from '@nestjs/common';
import DataLoader from 'dataloader';
import { DataSource } from 'typeorm';
import { Database } from '../../../platform/database/database';
import { Table } from '../../../platform/database/table';
import { Tx } from '../../../platform/database/tx';
import { Principal, Role, Standing } from '../domain/principal';
import { RefreshToken } from '../domain/refresh-token';
import { Session } from '../domain/session';
import { SessionsOf, SessionsRepository } from '../domain/sessions.repository';
import { refreshTokenSchema, sessionSchema } from './session.schema';

const MAX_BATCH = 100;

@Injectable()
export class TypeormSessionsRepository extends SessionsRepository {
  private readonly table: Table<Session>;
  private readonly refreshTokens: Table<RefreshToken>;
  /** Every request reads its session; those that arrive together share one statement. Nothing is cached. */
  private readonly batched = new DataLoader<string, Session | null>((ids) => this.findAll(ids), {
    cache: false,
    maxBatchSize: MAX_BATCH,
    // Each request arrives in a callback of its own: those of one turn of the event loop are together by its end.
    batchScheduleFn: (read) => setImmediate(read),
  });

  constructor(
    private readonly database: Database,
    dataSource: DataSource,
  ) {
    super();
    this.table = new Table(dataSource, sessionSchema);
    this.refreshTokens = new Table(dataSource, refreshTokenSchema);
  }

  find(id: string): Promise<Session | null> {
    return this.batched.load(id);
  }

  private async findAll(ids: readonly string[]): Promise<(Session | null)[]> {
    const sql = `SELECT ${this.table.columns} FROM sessions WHERE id = ANY($1)`;
    const rows = await this.database.read(sql, [ids]);
    const found = new Map(rows.map((row) => [row['id'], this.table.entity(row)]));
    return ids.map((id) => found.get(id) ?? null);
  }

  async lock(tx: Tx, id: string): Promise<Session | null> {
    const row = await tx.lockRow(`SELECT ${this.table.columns} FROM sessions WHERE id = $1`, [id]);
    return row && this.table.entity(row);
  }

  async live(principal: Principal, now: Date): Promise<Session[]> {
    const sql = `SELECT ${this.table.columns} FROM sessions WHERE (user_id = $1 OR opened_account_id = $2)
                 AND ended_at IS NULL AND expires_at > $3 ORDER BY id DESC`;
    const rows = await this.database.read(sql, [principal.userId, principal.openedAccountId, now]);
    return rows.map((row) => this.table.entity(row));
  }

  add(tx: Tx, session: Session): void {
    const { sql, params } = this.table.insert(session);
    tx.write(sql, params);
  }

  save(tx: Tx, session: Session): void {
    const { sql, params } = this.table.update(session);
    tx.write(sql, params);
  }

  end(tx: Tx, of: SessionsOf, now: Date, exceptSessionId: string | null): void {
    const [column, id] =
      'userId' in of
        ? ['user_id', of.userId]
        : 'accountId' in of
          ? ['account_id', of.accountId]
          : ['opened_account_id', of.openedAccountId];
    tx.write(
      `UPDATE sessions SET ended_at = $2 WHERE ${column} = $1 AND ended_at IS NULL AND id IS DISTINCT FROM $3`,
      [id, now, exceptSessionId],
    );
  }

  setRole(tx: Tx, userId: string, role: Role): void {
    tx.write('UPDATE sessions SET role = $2 WHERE user_id = $1 AND ended_at IS NULL', [userId, role]);
  }

  tie(tx: Tx, userId: string, accountId: string, standing: Standing): void {
    const sql = `UPDATE sessions SET account_id = $2, standing = $3
                 WHERE user_id = $1 AND account_id IS NULL AND ended_at IS NULL`;
    tx.write(sql, [userId, accountId, standing]);
  }

  async findRefreshToken(hash: string): Promise<RefreshToken | null> {
    const [row] = await this.database.read(
      `SELECT ${this.refreshTokens.columns} FROM refresh_tokens WHERE hash = $1`,
      [hash],
    );
    return row ? this.refreshTokens.entity(row) : null;
  }

  async lockRefreshToken(tx: Tx, hash: string): Promise<RefreshToken | null> {
    const sql = `SELECT ${this.refreshTokens.columns} FROM refresh_tokens WHERE hash = $1`;
    const row = await tx.lockRow(sql, [hash]);
    return row && this.refreshTokens.entity(row);
  }

  addRefreshToken(tx: Tx, token: RefreshToken): void {
    const { sql, params } = this.refreshTokens.insert(token);
    tx.write(sql, params);
  }

  saveRefreshToken(tx: Tx, token: RefreshToken): void {
    const { sql, params } = this.refreshTokens.update(token);
    tx.write(sql, params);
  }

  async deleteExpired(before: Date, limit: number): Promise<number> {
    const sql = `WITH expired AS (
                   DELETE FROM sessions WHERE id IN (
                     SELECT id FROM sessions WHERE expires_at < $1 ORDER BY expires_at LIMIT $2
                   ) RETURNING id
                 ), tokens AS (DELETE FROM refresh_tokens WHERE session_id IN (SELECT id FROM expired))
                 SELECT id FROM expired`;
    return (await this.database.read(sql, [before, limit])).length;
  }
}
