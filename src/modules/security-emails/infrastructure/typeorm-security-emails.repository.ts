import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Database } from '../../../platform/database/database';
import { Table } from '../../../platform/database/table';
import { Tx, WriteTx } from '../../../platform/database/tx';
import { SecurityEmail } from '../domain/security-email';
import { SecurityEmailsRepository } from '../domain/security-emails.repository';
import { securityEmailSchema } from './security-email.schema';

@Injectable()
export class TypeormSecurityEmailsRepository extends SecurityEmailsRepository {
  private readonly table: Table<SecurityEmail>;

  constructor(
    private readonly database: Database,
    dataSource: DataSource,
  ) {
    super();
    this.table = new Table(dataSource, securityEmailSchema);
  }

  add(tx: WriteTx, email: SecurityEmail): void {
    const { sql, params } = this.table.insert(email);
    tx.enqueue(sql, params);
  }

  async find(id: string): Promise<SecurityEmail | null> {
    const sql = `SELECT ${this.table.columns} FROM security_emails WHERE id = $1`;
    const [row] = await this.database.query(sql, [id]);
    return row ? this.table.entity(row) : null;
  }

  claimDue(tx: Tx, now: Date, limit: number) {
    return tx.query<Pick<SecurityEmail, 'id' | 'traceparent'>>(
      `UPDATE security_emails SET due_at = NULL WHERE id IN (
         SELECT id FROM security_emails WHERE due_at <= $1 ORDER BY due_at LIMIT $2 FOR UPDATE SKIP LOCKED
       ) RETURNING id, traceparent`,
      [now, limit],
    );
  }

  async delete(id: string): Promise<void> {
    await this.database.query('DELETE FROM security_emails WHERE id = $1', [id]);
  }

  async deleteOld(before: Date, limit: number): Promise<number> {
    const sql = `DELETE FROM security_emails WHERE id IN (
                   SELECT id FROM security_emails WHERE created_at < $1 LIMIT $2
                 ) RETURNING id`;
    return (await this.database.query(sql, [before, limit])).length;
  }
}
