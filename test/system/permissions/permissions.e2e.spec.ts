import { assertUnique, callersOfSuites, columns, readMatrix } from './matrix';
import { startService } from './modules';
import { describePermissions } from './permissions.suite';

describePermissions(startService, callersOfSuites.likeliest);

describe('The permission matrix', () => {
  const heading = ` ${columns.join(' ')}\n`;
  const row = `  getUser ${'404 '.repeat(columns.length)}\n`;

  it('accepts a row with a cell for each column', () => {
    expect(readMatrix(heading + row)).toHaveLength(1);
  });

  it('rejects a row with a missing cell', () => {
    expect(() => readMatrix(`${heading}  getUser ${'404 '.repeat(columns.length - 1)}\n`)).toThrow(
      'is not a row of the table',
    );
  });

  it('rejects a row that is repeated, also by another module', () => {
    expect(() => readMatrix(heading + row + row)).toThrow('is repeated');
    expect(() => assertUnique([...readMatrix(heading + row), ...readMatrix(heading + row)])).toThrow(
      'is repeated',
    );
  });

  it('rejects other columns', () => {
    expect(() => readMatrix(heading.replace('admin', 'root') + row)).toThrow('must name the columns');
  });
});
