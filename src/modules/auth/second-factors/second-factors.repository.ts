import { Injectable } from '@nestjs/common';
import { DataSource, EntitySchema, Repository } from 'typeorm';
import { Database, Tx, WriteTx } from '../../../platform/database/database';
import { enqueueWrite } from '../../../platform/database/repositories';
import { Table } from '../../../platform/database/table';
import { SecondFactor } from './second-factor';

export const secondFactorSchema = new EntitySchema<SecondFactor>({
  name: 'SecondFactor',
  target: SecondFactor,
  tableName: 'second_factors',
  columns: {
    subjectId: { name: 'subject_id', type: 'text', primary: true, update: false },
    secret: { type: 'text', nullable: true },
    pendingSecret: { name: 'pending_secret', type: 'text', nullable: true },
    confirmedAt: { name: 'confirmed_at', type: 'timestamptz', precision: 3, nullable: true },
    lastStep: { name: 'last_step', type: 'integer', nullable: true },
    recoveryCodes: { name: 'recovery_codes', type: 'text', array: true },
    wrongCodes: { name: 'wrong_codes', type: 'integer' },
    wrongCodesSince: { name: 'wrong_codes_since', type: 'timestamptz', precision: 3, nullable: true },
  },
});

@Injectable()
export class SecondFactorsRepository {
  private readonly factors: Repository<SecondFactor>;
  private readonly table: Table<SecondFactor>;

  constructor(
    private readonly database: Database,
    dataSource: DataSource,
  ) {
    this.factors = database.repository(secondFactorSchema);
    this.table = new Table(dataSource, secondFactorSchema);
  }

  find(subjectId: string): Promise<SecondFactor | null> {
    return this.factors.findOneBy({ subjectId });
  }

  /** Locks the factors of the subjects, in the order of their ids. In SQL, since a login sends it with others in one packet. */
  async lock(tx: Tx, subjectIds: readonly string[]): Promise<SecondFactor[]> {
    const sql = `SELECT ${this.table.columns} FROM second_factors WHERE subject_id = ANY ($1)
                 ORDER BY subject_id FOR UPDATE`;
    return (await tx.query(sql, [subjectIds])).map((row) => this.table.entity(row));
  }

  add(tx: Tx, factor: SecondFactor): void {
    enqueueWrite(tx, this.factors.createQueryBuilder().insert().values(factor));
  }

  save(tx: Tx, factor: SecondFactor): void {
    const { subjectId } = factor;
    enqueueWrite(tx, this.factors.createQueryBuilder().update().set(factor).where({ subjectId }));
  }

  delete(tx: WriteTx, subjectId: string): void {
    enqueueWrite(tx, this.factors.createQueryBuilder().delete().where({ subjectId }));
  }

  /** In SQL, since the id of a key is a part of a column. */
  async findEncryptedWith(keyIds: readonly string[], limit: number): Promise<string[]> {
    const sql = `SELECT subject_id FROM second_factors
                 WHERE split_part(secret, '.', 1) = ANY($1) OR split_part(pending_secret, '.', 1) = ANY($1)
                 LIMIT $2`;
    const rows = await this.database.query<{ subject_id: string }>(sql, [keyIds, limit]);
    return rows.map(({ subject_id }) => subject_id);
  }
}
