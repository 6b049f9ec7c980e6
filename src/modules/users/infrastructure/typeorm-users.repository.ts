import { Injectable } from '@nestjs/common';
import { DataSource, ObjectLiteral } from 'typeorm';
import { Page, PageRequest } from '../../../kernel/pages';
import { Database } from '../../../platform/database/database';
import { ACCOUNT_USER_COUNTS, countedUsers } from '../../../platform/database/list-counts';
import { PageList } from '../../../platform/database/page-list';
import { PageFilter } from '../../../platform/database/page-rows';
import { Table } from '../../../platform/database/table';
import { TextSearch } from '../../../platform/database/text-search';
import { Tx } from '../../../platform/database/tx';
import { User } from '../domain/user';
import { UserFilter, UsersRepository } from '../domain/users.repository';
import { userSchema } from './user.schema';

@Injectable()
export class TypeormUsersRepository extends UsersRepository {
  private readonly table: Table<User>;
  private readonly pages: PageList<User>;
  private readonly texts: TextSearch<User>;

  constructor(
    private readonly database: Database,
    dataSource: DataSource,
  ) {
    super();
    this.table = new Table(dataSource, userSchema);
    this.pages = new PageList(database, this.table);
    this.texts = new TextSearch(database, this.table, ['name', 'email'], 'users_search');
  }

  async find(id: string): Promise<User | null> {
    const rows = await this.database.query(`SELECT ${this.table.columns} FROM users WHERE id = $1`, [id]);
    return this.entities(rows)[0] ?? null;
  }

  async list(filter: UserFilter, page: PageRequest): Promise<Page<User>> {
    const { search, accountId } = filter;
    if (!search) return this.pages.read(pageFilterOf(filter), page);
    // The index has the users of all accounts, of which those of one are few.
    const prefersScan = accountId !== undefined;
    return this.pages.readFound(await this.texts.find(search, pageFilterOf(filter), page, prefersScan));
  }

  walk(filter: UserFilter): AsyncIterable<User[]> {
    const condition = filter.search ? this.texts.condition(filter.search) : undefined;
    return this.pages.walk(pageFilterOf(filter), condition);
  }

  async lock(tx: Tx, id: string): Promise<User | null> {
    const row = await tx.lockRow(`SELECT ${this.table.columns} FROM users WHERE id = $1`, [id]);
    return row && this.table.entity(row);
  }

  async lockActiveAdmins(tx: Tx): Promise<User[]> {
    const sql = `SELECT ${this.table.columns} FROM users WHERE role = 'admin' AND status = 'active' ORDER BY id FOR UPDATE`;
    return this.entities(await tx.query(sql, []));
  }

  async lockNewestOfAccount(tx: Tx, accountId: string, limit: number): Promise<User[]> {
    const sql = `SELECT ${this.table.columns} FROM users WHERE account_id = $1
                 ORDER BY created_at DESC, id DESC LIMIT $2 FOR UPDATE`;
    return this.entities(await tx.query(sql, [accountId, limit]));
  }

  async countOfAccount(tx: Tx, accountId: string, max: number): Promise<number> {
    const sql = `SELECT count(*)::int AS count FROM (SELECT FROM users WHERE account_id = $1 LIMIT $2) AS counted`;
    const [row] = await tx.query<{ count: number }>(sql, [accountId, max]);
    return row!.count;
  }

  add(tx: Tx, user: User): void {
    const { sql, params } = this.table.insert(user);
    tx.enqueue(sql, params);
  }

  save(tx: Tx, user: User): void {
    const { sql, params } = this.table.update(user);
    tx.enqueue(sql, params);
  }

  delete(tx: Tx, id: string): void {
    tx.enqueue('DELETE FROM users WHERE id = $1', [id]);
  }

  private entities(rows: ObjectLiteral[]): User[] {
    return rows.map((row) => this.table.entity(row));
  }
}

function pageFilterOf({ accountId, role, status }: UserFilter): PageFilter {
  const counts = accountId === undefined ? countedUsers.view : ACCOUNT_USER_COUNTS;
  return { equal: { accountId, role, status }, counts };
}
