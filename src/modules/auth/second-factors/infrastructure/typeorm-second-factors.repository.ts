import { Injectable } from '@nestjs/common';
import { Any, Repository } from 'typeorm';
import { Database } from '../../../../platform/database/database';
import { enqueueWrite } from '../../../../platform/database/repositories';
import { Tx, WriteTx } from '../../../../platform/database/tx';
import { SecondFactor } from '../domain/second-factor';
import { SecondFactorsRepository } from '../domain/second-factors.repository';
import { secondFactorSchema } from './second-factor.schema';

@Injectable()
export class TypeormSecondFactorsRepository extends SecondFactorsRepository {
  private readonly factors: Repository<SecondFactor>;

  constructor(private readonly database: Database) {
    super();
    this.factors = database.repository(secondFactorSchema);
  }

  find(subjectId: string): Promise<SecondFactor | null> {
    return this.factors.findOneBy({ subjectId });
  }

  lock(tx: Tx, subjectIds: readonly string[]): Promise<SecondFactor[]> {
    return tx.repository(secondFactorSchema).find({
      where: { subjectId: Any(subjectIds) },
      order: { subjectId: 'ASC' },
      lock: { mode: 'pessimistic_write' },
    });
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
