import { DataSource } from 'typeorm';
import { SqlTransactionsRepository } from '../../../../src/modules/transactions/infrastructure/sql-transactions.repository';
import { Database } from '../../../../src/platform/database/database';
import { dataSourceOptions } from '../../../../src/platform/database/engine/data-source';
import { EventRecorder } from '../../../../src/platform/events/event-recorder';
import { schema } from '../../../support/core';
import { createDatabase, dropDatabase } from '../../../support/databases';

const txn = (last: number): string => `txn_01k9x8v2t4e6rb3m5n7p9q1s0${last}`;

describe('A list across the accounts of several servers', () => {
  let database: { name: string; url: string };
  let dataSource: DataSource;
  let repository: SqlTransactionsRepository;
  const statements: string[] = [];

  beforeAll(async () => {
    database = await createDatabase();
    dataSource = await new DataSource(dataSourceOptions(database.url, 1, schema)).initialize();
    const byServer: Partial<Database> = {
      readByServer: async <Row extends object>(
        _table: string,
        statementOf: (tables: readonly string[]) => { sql: string },
      ): Promise<Row[]> => {
        statements.push(statementOf(['transactions_1', 'transactions_2']).sql);
        // The rows of one server after those of the other, each in its order.
        return [3, 1, 4, 2].map((last) => ({ id: txn(last), amount: '1', refunded: '0' }) as unknown as Row);
      },
    };
    repository = new SqlTransactionsRepository(byServer as Database, dataSource, {} as EventRecorder);
  });
  afterAll(async () => {
    await dataSource.destroy();
    await dropDatabase(database.name);
  });
  beforeEach(() => (statements.length = 0));

  const idsOf = async (request: { limit: number; endingBefore?: string }) => {
    const { items, hasMore } = await repository.list({}, request, ['id']);
    return { ids: items.map(({ id }) => id), hasMore };
  };

  it('has the newest of all, and tells of more', async () => {
    expect(await idsOf({ limit: 3 })).toEqual({ ids: [4, 3, 2].map(txn), hasMore: true });
    expect(await idsOf({ limit: 4 })).toEqual({ ids: [4, 3, 2, 1].map(txn), hasMore: false });
  });

  it('has those that are nearest to a cursor before which it ends, newest first', async () => {
    const page = await idsOf({ limit: 2, endingBefore: txn(0) });
    expect(page).toEqual({ ids: [2, 1].map(txn), hasMore: true });
  });

  it('is merged by the id where other members are read', async () => {
    await repository.list({}, { limit: 2 }, ['amount', 'currency']);
    expect(statements[0]).toMatch(/^SELECT "amount", "currency", "id" FROM/);
  });

  it('reads all tables of a server in one statement that PostgreSQL takes', async () => {
    await repository.list({ status: 'pending' }, { limit: 2 }, ['id']);
    for (const table of ['transactions_1', 'transactions_2']) {
      expect(statements[0]!.split(`FROM ${table} `)).toHaveLength(1 + 3); // once for each type
      await dataSource.query(`CREATE TABLE ${table} (LIKE transactions)`);
    }
    await dataSource.query(`PREPARE page AS ${statements[0]}`);
  });

  it('finds by id on the server that the id names, and what is not there on all', async () => {
    const asked: unknown[] = [];
    const named: Partial<Database> = {
      isDistributed: true,
      serverOfId: () => 1,
      readByServer: async <Row extends object>(
        _table: string,
        statementOf: (tables: readonly string[]) => { sql: string },
        server: number | null,
      ): Promise<Row[]> => {
        statements.push(statementOf(['transactions_1', 'transactions_2']).sql);
        asked.push(server);
        const found = server === null ? 2 : 1;
        return [{ id: txn(found), amount: '1', refunded: '0' } as unknown as Row];
      },
    };
    const byId = new SqlTransactionsRepository(named as Database, dataSource, {} as EventRecorder);
    expect((await byId.find(txn(1), null))?.id).toBe(txn(1));
    expect(statements[0]).toContain('FROM transactions_2 WHERE id = ANY ($1)');
    expect(asked).toEqual([1]);
    expect((await byId.find(txn(2), null))?.id).toBe(txn(2));
    expect(asked).toEqual([1, 1, null]);
  });

  it('a row whose account has moved from the server that is asked is looked for under its account', async () => {
    const row = (last: number): object => ({
      account_id: 'acc_1',
      id: txn(last),
      amount: '1',
      refunded: '0',
    });
    const asked: unknown[] = [];
    const moving: Partial<Database> = {
      isDistributed: true,
      serverOf: () => 1,
      readByServer: async <Row extends object>(
        _table: string,
        _statementOf: unknown,
        server: number | null,
      ): Promise<Row[]> => {
        asked.push(server);
        return [row(1)] as Row[];
      },
      read: async <Row extends object>(
        _sql: string,
        params: readonly unknown[],
        accountId: string | null,
      ): Promise<Row[]> => {
        asked.push(params, accountId);
        return [row(2)] as Row[];
      },
    };
    const ofAccount = new SqlTransactionsRepository(moving as Database, dataSource, {} as EventRecorder);
    const found = await Promise.all([1, 2].map((last) => ofAccount.find(txn(last), 'acc_1')));
    expect(found.map((transaction) => transaction?.id)).toEqual([txn(1), txn(2)]);
    expect(asked).toEqual([1, ['acc_1', txn(2)], 'acc_1']);
  });
});
