import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Database } from '../../../platform/database/database';
import { Table } from '../../../platform/database/table';
import { Tx, WriteTx } from '../../../platform/database/tx';
import { SecondFactor } from '../domain/second-factor';
import { SecondFactorsRepository } from '../domain/second-factors.repository';
import { secondFactorSchema } from './second-factor.schema';

@Injectable()
export class TypeormSecondFactorsRepository extends SecondFactorsRepository {
  private readonly table: Table<SecondFactor>;

  constructor(
    private readonly database: Database,
    dataSource: DataSource,
  ) {
    super();
    this.table = new Table(dataSource, secondFactorSchema);
  }

  async find(subjectId: string): Promise<SecondFactor | null> {
    const sql = `SELECT ${this.table.columns} FROM second_factors WHERE subject_id = $1`;
    const [row] = await this.database.query(sql, [subjectId]);
    return row ? this.table.entity(row) : null;
  }

  async lock(tx: Tx, subjectIds: readonly string[]): Promise<SecondFactor[]> {
    const sql = `SELECT ${this.table.columns} FROM second_factors WHERE subject_id = ANY($1) ORDER BY subject_id FOR UPDATE`;
    return (await tx.query(sql, [subjectIds])).map((row) => this.table.entity(row));
  }

  add(tx: Tx, factor: SecondFactor): void {
    const { sql, params } = this.table.insert(factor);
    tx.enqueue(sql, params);
  }

  save(tx: Tx, factor: SecondFactor): void {
    const { sql, params } = this.table.update(factor);
    tx.enqueue(sql, params);
  }

  delete(tx: WriteTx, subjectId: string): void {
    tx.enqueue('DELETE FROM second_factors WHERE subject_id = $1', [subjectId]);
  }

  async findEncryptedWith(keyIds: readonly string[], limit: number): Promise<string[]> {
    const sql = `SELECT subject_id FROM second_factors
                 WHERE split_part(secret, '.', 1) = ANY($1) OR split_part(pending_secret, '.', 1) = ANY($1)
                 LIMIT $2`;
    const rows = await this.database.query<{ subject_id: string }>(sql, [keyIds, limit]);
    return rows.map(({ subject_id }) => subject_id);
  }
}
