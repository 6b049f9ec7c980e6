import { listStatement } from '../../../src/platform/database/lists/cursor-list';
import type { ListFilters } from '../../../src/platform/database/lists/list-filters';

const filters: ListFilters = {
  table: 'transactions',
  prefix: 'txn',
  keys: { reference: { column: 'reference', nullable: true } },
  enums: {
    status: { column: 'status', values: ['pending', 'succeeded'] },
    type: { column: 'type', values: ['payment', 'credit'] },
  },
};

const sqlOf = (filter: object): string => listStatement(filters, ['"id"'], filter, { limit: 20 }).sql;

describe('The statement of a list', () => {
  // Before PostgreSQL 18, a scan passes all rows whose first column is the same as that of a compared row.
  it('compares enums but the last as equal, so that a branch without rows ends at once', () => {
    const sql = sqlOf({ status: 'succeeded' });
    expect(sql).toMatch(/WHERE status = \(SELECT \$3\) AND \(type, id\) < \(\(SELECT 'payment'\), \$1\)/);
    expect(sql).not.toContain('(status, type, id)');
  });

  it('compares a key together with the enums, so that no other index serves it', () => {
    expect(sqlOf({ reference: 'a' })).toContain(
      "(reference, status, type, id) < ((SELECT $3), 'pending', 'payment', $1)",
    );
  });
});
