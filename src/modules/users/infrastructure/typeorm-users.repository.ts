import { Injectable } from '@nestjs/common';
import { DataSource, ObjectLiteral, Repository } from 'typeorm';
import { Page, PageRequest } from '../../../kernel/pages';
import { Database } from '../../../platform/database/database';
import { containing, Table } from '../../../platform/database/table';
import { Tx } from '../../../platform/database/tx';
import { User } from '../domain/user';
import { UserFilter, UsersRepository } from '../domain/users.repository';
import { userSchema } from './user.schema';

@Injectable()
export class TypeormUsersRepository extends UsersRepository {
  private readonly table: Table<User>;
  private readonly rows: Repository<User>;

  constructor(
    private readonly database: Database,
    dataSource: DataSource,
  ) {
    super();
    this.table = new Table(dataSource, userSchema);
    this.rows = dataSource.getRepository(userSchema);
  }

  async find(id: string): Promise<User | null> {
    const rows = await this.database.query(`SELECT ${this.table.columns} FROM users WHERE id = $1`, [id]);
    return this.entities(rows)[0] ?? null;
  }

  async list({ accountId, status, search }: UserFilter, { page, limit }: PageRequest): Promise<Page<User>> {
    const query = this.rows.createQueryBuilder('u').orderBy('u.createdAt', 'DESC').addOrderBy('u.id', 'DESC');
    if (accountId !== undefined) query.andWhere('u.accountId = :accountId', { accountId });
    if (status !== undefined) query.andWhere('u.status = :status', { status });
    if (search) query.andWhere('(u.name ILIKE :part OR u.email ILIKE :part)', { part: containing(search) });
    const [items, total] = await query
      .offset((page - 1) * limit)
      .limit(limit)
      .getManyAndCount();
    return { items, total };
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
