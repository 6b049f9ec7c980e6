import { Injectable } from '@nestjs/common';
import { DataSource, ObjectLiteral } from 'typeorm';
import { Page, PageRequest } from '../../../kernel/pages';
import { Database } from '../../../platform/database/database';
import { countedUsers } from '../../../platform/database/list-counts';
import { PageList } from '../../../platform/database/page-list';
import { PageFilter } from '../../../platform/database/page-rows';
import { containing, Table } from '../../../platform/database/table';
import { Tx } from '../../../platform/database/tx';
import { User } from '../domain/user';
import { UserFilter, UsersRepository } from '../domain/users.repository';
import { userSchema } from './user.schema';

@Injectable()
export class TypeormUsersRepository extends UsersRepository {
  private readonly table: Table<User>;
  private readonly pages: PageList<User>;

  constructor(
    private readonly database: Database,
    dataSource: DataSource,
  ) {
    super();
    this.table = new Table(dataSource, userSchema);
    this.pages = new PageList(database, this.table, countedUsers.view);
  }

  async find(id: string): Promise<User | null> {
    const rows = await this.database.query(`SELECT ${this.table.columns} FROM users WHERE id = $1`, [id]);
    return this.entities(rows)[0] ?? null;
  }

  list(filter: UserFilter, page: PageRequest): Promise<Page<User>> {
    return this.pages.read(pageFilterOf(filter), page);
  }

  walk(filter: UserFilter): AsyncIterable<User[]> {
    return this.pages.walk(pageFilterOf(filter));
  }

  async lock(tx: Tx, id: string): Promise<User | null> {
    const row = await tx.lockRow(`SELECT ${this.table.columns} FROM users WHERE id = $1`, [id]);
    return row && this.table.entity(row);
  }

  async lockActiveAdmins(tx: Tx): Promise<User[]> {
    const sql = `SELECT ${this.table.columns} FROM users WHERE role = 'admin' AND status = 'active' ORDER BY id FOR UPDATE`;
    return this.entities(await tx.query(sql, []));
  }

  async lockOfAccount(tx: Tx, accountId: string): Promise<User[]> {
    const sql = `SELECT ${this.table.columns} FROM users WHERE account_id = $1 ORDER BY id FOR UPDATE`;
    return this.entities(await tx.query(sql, [accountId]));
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

/** The users of an account, and those that a search finds, are counted at each read. */
function pageFilterOf({ accountId, role, status, search }: UserFilter): PageFilter {
  const condition = search ? searched(search, accountId === undefined) : undefined;
  const isCounted = accountId === undefined && condition === undefined;
  return { equal: { accountId, role, status }, condition, isCounted };
}

/** The characters of a trigram, which users_search consists of. */
const TRIGRAM = 3;

/** @param all whether users of all accounts are searched: those of one account are few */
function searched(search: string, all: boolean): PageFilter['condition'] {
  const isIndexed = all && search.length >= TRIGRAM;
  // For a shorter text PostgreSQL would read the whole index. It does not have these expressions.
  const [name, email] = isIndexed ? ['name', 'email'] : ["(name || '')", "(email || '')"];
  const sql = (part: string) => `(${name} ILIKE ${part} OR ${email} ILIKE ${part})`;
  return { sql, value: containing(search), isIndexed };
}
