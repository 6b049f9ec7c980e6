import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { idRange } from '../../../kernel/ids';
import { PageRequest } from '../../../kernel/pages';
import { batchedReads } from '../../../platform/database/batched-reads';
import { Database, Tx } from '../../../platform/database/database';
import { Table } from '../../../platform/database/table';
import { MembershipRole, Principal, Role } from '../domain/principal';
import { RefreshToken, Session } from '../domain/session';
import { SessionFilter, SessionsRepository } from '../domain/sessions.repository';
import { refreshTokenSchema, sessionSchema } from './session.schema';

/** How many sessions a part of a walk reads. */
const PART = 100;

/** In SQL, since every request waits for its session, and what ends sessions changes many on a condition. */
@Injectable()
export class SqlSessionsRepository extends SessionsRepository {
  private readonly table: Table<Session>;
  private readonly refreshTokens: Table<RefreshToken>;
  /** Every request reads its session; concurrent requests share one statement. */
  private readonly findOne = batchedReads((ids) => this.findAll(ids));

  constructor(
    private readonly database: Database,
    dataSource: DataSource,
  ) {
    super();
    this.table = new Table(dataSource, sessionSchema);
    this.refreshTokens = new Table(dataSource, refreshTokenSchema);
  }

  find(id: string): Promise<Session | null> {
    return this.findOne(id);
  }

  private async findAll(ids: readonly string[]): Promise<Map<string, Session>> {
    const sql = `SELECT ${this.table.columns} FROM sessions WHERE id = ANY($1)`;
    const rows = await this.database.query(sql, [ids]);
    return new Map(rows.map((row) => [row['id'], this.table.entity(row)]));
  }

  async lock(tx: Tx, id: string): Promise<Session | null> {
    const row = await tx.lockRow(`SELECT ${this.table.columns} FROM sessions WHERE id = $1`, [id]);
    return row && this.table.entity(row);
  }

  async findLive(principal: Principal, now: Date, { page, limit }: PageRequest): Promise<Session[]> {
    // Each index is read up to the end of the page. A session that is in both appears once.
    const newest = (condition: string): string =>
      `(SELECT ${this.table.columns} FROM sessions WHERE ${condition} AND ended_at IS NULL AND expires_at > $3
        ORDER BY id DESC LIMIT $4::bigint + $5)`;
    const sql = `SELECT * FROM (${newest('user_id = $1')} UNION ${newest('opened_account_id = $2')}) AS live
                 ORDER BY id DESC LIMIT $4 OFFSET $5`;
    const { userId, openedAccountId } = principal;
    const rows = await this.database.query(sql, [userId, openedAccountId, now, limit, (page - 1) * limit]);
    return rows.map((row) => this.table.entity(row));
  }

  async findLiveOf(filter: SessionFilter, now: Date, { page, limit }: PageRequest): Promise<Session[]> {
    const [column, id] = chooseColumn(filter);
    const sql = `SELECT ${this.table.columns} FROM sessions WHERE ${column} = $1
                 AND ended_at IS NULL AND expires_at > $2 ORDER BY id DESC LIMIT $3 OFFSET $4`;
    const rows = await this.database.query(sql, [id, now, limit, (page - 1) * limit]);
    return rows.map((row) => this.table.entity(row));
  }

  async *walkLiveOf(filter: SessionFilter, now: Date): AsyncIterable<Session[]> {
    const [column, id] = chooseColumn(filter);
    const sql = `SELECT ${this.table.columns} FROM sessions WHERE ${column} = $1
                 AND ended_at IS NULL AND expires_at > $2 AND id < $3 ORDER BY id DESC LIMIT ${PART}`;
    for (let { before } = idRange('ses'); ;) {
      const rows = await this.database.query(sql, [id, now, before]);
      const sessions = rows.map((row) => this.table.entity(row));
      yield sessions;
      if (sessions.length < PART) return;
      before = sessions.at(-1)!.id;
    }
  }

  async findOpenedFrom(network: string, subjectIds: readonly string[], tx?: Tx): Promise<string[]> {
    const sql = `SELECT subject.id FROM unnest($2::text[]) AS subject (id) WHERE
                 ${hasOpenedFrom('subject.id', '$1')}`;
    const rows = await (tx ?? this.database).query<{ id: string }>(sql, [network, subjectIds]);
    return rows.map(({ id }) => id);
  }

  add(tx: Tx, session: Session): void {
    const { sql, params } = this.table.insert(session);
    tx.enqueue(sql, params);
  }

  save(tx: Tx, session: Session): void {
    const { sql, params } = this.table.update(session);
    tx.enqueue(sql, params);
  }

  end(tx: Tx, filter: SessionFilter, now: Date, exceptSessionId: string | null): void {
    const [column, id] = chooseColumn(filter);
    tx.enqueue(
      `UPDATE sessions SET ended_at = $2 WHERE ${column} = $1 AND ended_at IS NULL AND id IS DISTINCT FROM $3`,
      [id, now, exceptSessionId],
    );
  }

  setAuthenticatedAt(tx: Tx, id: string, now: Date): void {
    tx.enqueue('UPDATE sessions SET authenticated_at = $2 WHERE id = $1', [id, now]);
  }

  endOldest(tx: Tx, { id, userId, openedAccountId }: Session, max: number, now: Date): void {
    const subjects = { user_id: userId, opened_account_id: openedAccountId };
    for (const [column, subjectId] of Object.entries(subjects)) {
      if (subjectId === null) continue;
      tx.enqueue(
        `UPDATE sessions SET ended_at = $3 WHERE id IN (
           SELECT id FROM sessions WHERE ${column} = $1 AND id <> $2 AND ended_at IS NULL
           ORDER BY expires_at > $3 DESC, id DESC OFFSET $4)`,
        [subjectId, id, now, max - 1],
      );
    }
  }

  setRole(tx: Tx, userId: string, role: Role): void {
    tx.enqueue('UPDATE sessions SET role = $2 WHERE user_id = $1 AND ended_at IS NULL', [userId, role]);
  }

  link(
    tx: Tx,
    userId: string,
    accountId: string,
    membershipRole: MembershipRole,
    apiVersion: string | null,
  ): void {
    const sql = `UPDATE sessions SET account_id = $2, membership_role = $3, api_version = $4
                 WHERE user_id = $1 AND account_id IS NULL AND ended_at IS NULL`;
    tx.enqueue(sql, [userId, accountId, membershipRole, apiVersion]);
  }

  pin(tx: Tx, accountId: string, apiVersion: string): void {
    tx.enqueue('UPDATE sessions SET api_version = $2 WHERE account_id = $1 AND ended_at IS NULL', [
      accountId,
      apiVersion,
    ]);
  }

  async findRefreshToken(hash: string): Promise<RefreshToken | null> {
    const [row] = await this.database.query(
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

  async countUnusedRefreshTokens(tx: Tx, sessionId: string, issuedAfter: Date): Promise<number> {
    const [row] = await tx.query(
      `SELECT count(*)::int AS count FROM refresh_tokens
       WHERE session_id = $1 AND used_at IS NULL AND created_at > $2`,
      [sessionId, issuedAfter],
    );
    return (row as { count: number }).count;
  }

  addRefreshToken(tx: Tx, token: RefreshToken): void {
    const { sql, params } = this.refreshTokens.insert(token);
    tx.enqueue(sql, params);
  }

  saveRefreshToken(tx: Tx, token: RefreshToken): void {
    const { sql, params } = this.refreshTokens.update(token);
    tx.enqueue(sql, params);
  }

  async endExpired(until: Date, limit: number): Promise<number> {
    // A refresh in progress has locked its session, and may extend it.
    const sql = `UPDATE sessions SET ended_at = expires_at WHERE id IN (
                   SELECT id FROM sessions WHERE ended_at IS NULL AND expires_at <= $1
                   ORDER BY expires_at LIMIT $2 FOR UPDATE SKIP LOCKED
                 ) RETURNING id`;
    return (await this.database.query(sql, [until, limit])).length;
  }

  async deleteExpired(before: Date, limit: number): Promise<number> {
    const sql = `WITH expired AS (
                   DELETE FROM sessions WHERE id IN (
                     SELECT id FROM sessions WHERE expires_at < $1 ORDER BY expires_at LIMIT $2
                   ) RETURNING id
                 ), tokens AS (DELETE FROM refresh_tokens WHERE session_id IN (SELECT id FROM expired))
                 SELECT id FROM expired`;
    return (await this.database.query(sql, [before, limit])).length;
  }
}

/** A condition: whether a subject has opened a session from a network. */
export function hasOpenedFrom(subjectId: string, network: string): string {
  return `(EXISTS (SELECT FROM sessions WHERE user_id = ${subjectId} AND network = ${network}) OR
           EXISTS (SELECT FROM sessions WHERE opened_account_id = ${subjectId} AND network = ${network}))`;
}

/** Returns the column that the filter compares, and its value. */
function chooseColumn(filter: SessionFilter): [string, string] {
  if ('userId' in filter) return ['user_id', filter.userId];
  if ('accountId' in filter) return ['account_id', filter.accountId];
  return ['opened_account_id', filter.openedAccountId];
}
