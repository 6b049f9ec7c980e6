import { Injectable } from '@nestjs/common';
import { DataSource, EntitySchema, Repository } from 'typeorm';
import { Page, PageRequest } from '../../kernel/pages';
import { Database, Tx } from '../../platform/database/database';
import { PageList } from '../../platform/database/lists/page-list';
import { PageFilter } from '../../platform/database/lists/page-rows';
import { PartSearch } from '../../platform/database/lists/part-search';
import { TextSearch } from '../../platform/database/lists/text-search';
import { enqueueWrite } from '../../platform/database/repositories';
import { eventCount, Table } from '../../platform/database/table';
import { EventRecorder } from '../../platform/events/event-recorder';
import { User, UserFilter, userLifecycle } from './user';

export const userSchema = new EntitySchema<User>({
  name: 'User',
  target: User,
  tableName: 'users',
  columns: {
    id: { type: 'text', primary: true, update: false },
    email: { type: 'text' },
    name: { type: 'text', nullable: true },
    status: { type: 'text' },
    role: { type: 'text' },
    accountId: { name: 'account_id', type: 'text', nullable: true },
    createdAt: { name: 'created_at', type: 'timestamptz', precision: 3, update: false },
    updatedAt: { name: 'updated_at', type: 'timestamptz', precision: 3 },
    eventCount,
  },
  checks: [{ expression: userLifecycle.sqlCheck('status') }],
  // One for each combination of filters of the list.
  indices: [
    { name: 'users_newest', columns: ['createdAt', 'id'] },
    { name: 'users_status', columns: ['status', 'createdAt', 'id'] },
    { name: 'users_role', columns: ['role', 'createdAt', 'id'] },
    { name: 'users_role_status', columns: ['role', 'status', 'createdAt', 'id'] },
    { name: 'users_account_newest', columns: ['accountId', 'createdAt', 'id'] },
    { name: 'users_account_status', columns: ['accountId', 'status', 'createdAt', 'id'] },
    { name: 'users_account_role', columns: ['accountId', 'role', 'createdAt', 'id'] },
    { name: 'users_account_role_status', columns: ['accountId', 'role', 'status', 'createdAt', 'id'] },
    // Of trigrams, which TypeORM cannot declare.
    { name: 'users_search', columns: ['name', 'email'], synchronize: false },
    { name: 'users_text', columns: ['name', 'email'], synchronize: false },
  ],
});

/** What users_text indexes, folded. */
const SEARCHED = "coalesce(name, '') || ' ' || email";

const NEWEST = 'created_at DESC, id DESC';

const LOCKED = { lock: { mode: 'pessimistic_write' } } as const;

@Injectable()
export class UsersRepository {
  private readonly users: Repository<User>;
  private readonly pages: PageList<User>;
  private readonly parts: PartSearch<User>;
  private readonly texts: TextSearch<User>;

  constructor(
    database: Database,
    dataSource: DataSource,
    private readonly events: EventRecorder,
  ) {
    this.users = database.repository(userSchema);
    const table = new Table(dataSource, userSchema);
    this.pages = new PageList(database, table);
    this.parts = new PartSearch(database, table, {
      text: SEARCHED,
      newest: NEWEST,
      newestOfScope: NEWEST,
      trigrams: 'users_text',
    });
    this.texts = new TextSearch(database, table, ['name', 'email'], 'users_search');
  }

  find(id: string): Promise<User | null> {
    return this.users.findOneBy({ id });
  }

  /** @throws DomainError `invalid_request` for a search that would read too many users */
  list(filter: UserFilter, page: PageRequest): Promise<Page<User>> {
    const { search, accountId } = filter;
    if (!search) return this.pages.read(toPageFilter(filter), page);
    // The index has the users of all accounts, of which those of one are few.
    const prefersScan = accountId !== undefined;
    return this.texts.find(search, toPageFilter(filter), page, prefersScan);
  }

  /** Finds users of an account, one user, or any. @returns at most `limit`, newest first */
  findParts(
    part: string,
    { accountId, id }: { readonly accountId?: string; readonly id?: string },
    limit: number,
  ): Promise<User[]> {
    const scope = accountId
      ? { column: 'account_id', value: accountId }
      : id
        ? { column: 'id', value: id }
        : null;
    return this.parts.find(part, scope, limit);
  }

  /** Reads all that match, newest first, a part at a time. A part may be empty. */
  walk(filter: UserFilter): AsyncIterable<User[]> {
    const condition = filter.search ? this.texts.condition(filter.search) : undefined;
    return this.pages.walk(toPageFilter(filter), condition);
  }

  lock(tx: Tx, id: string): Promise<User | null> {
    return tx.repository(userSchema).findOne({ where: { id }, ...LOCKED });
  }

  /** Locks and returns all active admins, in the order of their ids. */
  lockActiveAdmins(tx: Tx): Promise<User[]> {
    const where = { role: 'admin', status: 'active' } as const;
    return tx.repository(userSchema).find({ where, order: { id: 'ASC' }, ...LOCKED });
  }

  lockNewestOfAccount(tx: Tx, accountId: string, limit: number): Promise<User[]> {
    const order = { createdAt: 'DESC', id: 'DESC' } as const;
    return tx.repository(userSchema).find({ where: { accountId }, order, take: limit, ...LOCKED });
  }

  /** Counts the users linked to the account, up to `max`. */
  async countOfAccount(tx: Tx, accountId: string, max: number): Promise<number> {
    const found = await tx
      .repository(userSchema)
      .find({ select: { id: true }, where: { accountId }, take: max });
    return found.length;
  }

  add(tx: Tx, user: User): void {
    this.events.write(tx, user);
    enqueueWrite(tx, this.users.createQueryBuilder().insert().values(user));
  }

  save(tx: Tx, user: User): void {
    this.events.write(tx, user);
    enqueueWrite(tx, this.users.createQueryBuilder().update().set(user).where({ id: user.id }));
  }

  delete(tx: Tx, user: User): void {
    this.events.write(tx, user);
    enqueueWrite(tx, this.users.createQueryBuilder().delete().where({ id: user.id }));
  }
}

function toPageFilter({ accountId, role, status }: UserFilter): PageFilter {
  const counts = accountId === undefined ? 'user_counts' : 'account_user_counts';
  return { equal: { accountId, role, status }, counts };
}

type Query = <Row extends object>(sql: string) => Promise<readonly Row[]>;

/** The number of active admins, at most 100; null before the migrations. */
export async function countAdmins(query: Query): Promise<number | null> {
  const [table] = await query<{ name: string | null }>("SELECT to_regclass('users')::text AS name");
  if (table!.name === null) return null;
  const [row] = await query<{ admins: number }>(
    "SELECT count(*)::int AS admins FROM (SELECT FROM users WHERE role = 'admin' AND status = 'active' LIMIT 100) found",
  );
  return row!.admins;
}
