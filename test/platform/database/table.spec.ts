import { DataSource } from 'typeorm';
import { dataSourceOptions } from '../../../src/platform/database/engine/data-source';
import { Table } from '../../../src/platform/database/table';
import { schema } from '../../support/core';
import { createDatabase, dropDatabase } from '../../support/databases';

let database: { name: string; url: string };
let dataSource: DataSource;

beforeAll(async () => {
  database = await createDatabase();
  dataSource = await new DataSource(dataSourceOptions(database.url, 1, schema)).initialize();
});
afterAll(async () => {
  await dataSource.destroy();
  await dropDatabase(database.name);
});

const changing = schema.entities.filter(({ options }) =>
  Object.values(options.columns).some((column) => column && !column.primary && column.update !== false),
);

describe('Statements of a table', () => {
  it.each(changing.map((entity) => [entity.options.name, entity] as const))(
    'update one row and several, with the types of the columns: %s',
    async (_name, entity) => {
      const { sql, mergedSql } = new Table(dataSource, entity).update({});
      await dataSource.query(`PREPARE one AS ${sql}`);
      if (mergedSql !== null) {
        expect(mergedSql.match(/\$\d+/g)).toEqual(sql.match(/\$\d+/g));
        await dataSource.query(`PREPARE several AS ${mergedSql}`);
      }
      await dataSource.query('DEALLOCATE ALL');
    },
  );

  it('read a part of an entity', () => {
    const entity = schema.entities.find(({ options }) => options.name === 'Transaction')!;
    const part = new Table(dataSource, entity).part(['id', 'amount', 'createdAt']);
    expect(part.columnNames).toEqual(['"id"', '"created_at"', '"amount"']);
    const createdAt = new Date();
    expect(part.entity({ id: 'txn_1', amount: '12', created_at: createdAt })).toEqual({
      id: 'txn_1',
      amount: 12,
      createdAt,
    });
  });
});
