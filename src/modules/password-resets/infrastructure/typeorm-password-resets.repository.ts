import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Database } from '../../../platform/database/database';
import { Table } from '../../../platform/database/table';
import { Tx, WriteTx } from '../../../platform/database/tx';
import { PasswordReset } from '../domain/password-reset';
import { PasswordResetsRepository } from '../domain/password-resets.repository';
import { passwordResetSchema } from './password-reset.schema';

@Injectable()
export class TypeormPasswordResetsRepository extends PasswordResetsRepository {
  private readonly table: Table<PasswordReset>;

  constructor(
    private readonly database: Database,
    dataSource: DataSource,
  ) {
    super();
    this.table = new Table(dataSource, passwordResetSchema);
  }

  add(tx: WriteTx, reset: PasswordReset): void {
    const { sql, params } = this.table.insert(reset);
    tx.enqueue(sql, params);
  }

  async findSubjectId(tokenHash: string, now: Date): Promise<string | null> {
    const [row] = await this.database.query<{ subject_id: string }>(
      'SELECT subject_id FROM password_resets WHERE token_hash = $1 AND expires_at > $2',
      [tokenHash, now],
    );
    return row?.subject_id ?? null;
  }

  async use(tx: Tx, tokenHash: string, now: Date): Promise<boolean> {
    const sql = 'DELETE FROM password_resets WHERE token_hash = $1 AND expires_at > $2 RETURNING subject_id';
    return (await tx.query(sql, [tokenHash, now])).length > 0;
  }

  deleteOf(tx: WriteTx, subjectId: string): void {
    tx.enqueue('DELETE FROM password_resets WHERE subject_id = $1', [subjectId]);
  }

  async deleteExpired(now: Date, limit: number): Promise<number> {
    const sql = `DELETE FROM password_resets WHERE token_hash IN (
                   SELECT token_hash FROM password_resets WHERE expires_at < $1 LIMIT $2
                 ) RETURNING token_hash`;
    return (await this.database.query(sql, [now, limit])).length;
  }
}
