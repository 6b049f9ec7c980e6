import type { DataSource, EntityManager, ObjectLiteral, QueryBuilder } from 'typeorm';
import type { PostgresDriver } from 'typeorm/driver/postgres/PostgresDriver';
import { PostgresQueryRunner } from 'typeorm/driver/postgres/PostgresQueryRunner';
import type { ConstraintErrors, Send, WriteTx } from './tx';

/**
 * Returns an EntityManager whose repositories send their statements with `send`.
 * @param inTransaction whether `send` belongs to a database transaction, so that TypeORM opens none
 */
export function entityManager(dataSource: DataSource, inTransaction: boolean, send: Send): EntityManager {
  const runner = new SendingQueryRunner(dataSource, inTransaction, send);
  runner.manager = dataSource.createEntityManager(runner);
  return runner.manager;
}

/** Queues a write as a query builder describes it, so that it takes no round trip of its own. */
export function enqueueWrite<Entity extends ObjectLiteral>(
  tx: WriteTx,
  write: QueryBuilder<Entity>,
  errors?: ConstraintErrors,
): void {
  const [sql, params] = write.getQueryAndParameters();
  tx.enqueue(sql, params as unknown[], errors);
}

/** Has no connection and no transaction of its own: both are those of `send`. */
class SendingQueryRunner extends PostgresQueryRunner {
  constructor(
    dataSource: DataSource,
    override isTransactionActive: boolean,
    private readonly send: Send,
  ) {
    super(dataSource.driver as PostgresDriver, 'master');
  }

  /** Errors stay those of the driver: TypeORM's wrapper would keep the parameters, which may be secrets. */
  override async query(sql: string, params: unknown[] = [], isStructured = false): Promise<never> {
    const { rows, rowCount } = await this.send(sql, params);
    return (isStructured ? { raw: rows, records: rows, affected: rowCount } : rows) as never;
  }

  override connect(): never {
    throw new Error('Repositories have no connection of their own.');
  }

  override startTransaction(): never {
    throw new Error('Only `Database.transaction` opens a transaction.');
  }

  override commitTransaction(): never {
    throw new Error('Only `Database.transaction` commits.');
  }

  override rollbackTransaction(): never {
    throw new Error('Only `Database.transaction` rolls back.');
  }
}
