import type {
  DataSource,
  EntityMetadata,
  EntitySchema,
  EntitySchemaColumnOptions,
  ObjectLiteral,
} from 'typeorm';
import { ConfigError } from '../config/settings';
import { insertOfRows, MAX_ROWS } from './engine/queued-statement';
import type { Insertion, RowKey, RowUpdate, Statement } from './tx';
import { FIRST_VERSION } from '../versions/api-versions';

export { insertOfRows };

type Column = EntityMetadata['columns'][number];

/** Reads entities, or parts of them, from rows of columns. */
export interface RowReader<Entity> {
  /** The quoted names of the columns. */
  readonly columnNames: readonly string[];
  entity(row: ObjectLiteral): Entity;
}

/**
 * The statements of one mapped class, built once from its EntitySchema.
 *
 * Their text never varies, so each is prepared once per connection; TypeORM's builders would build it for every row.
 * Columns with `update: false` in the schema are written only at creation.
 */
export class Table<Entity extends ObjectLiteral> implements RowReader<Entity> {
  readonly name: string;
  /** All columns, for `SELECT`. */
  readonly columns: string;
  readonly columnNames: readonly string[];
  private readonly parts = new WeakMap<readonly (keyof Entity)[], RowReader<object>>();
  private readonly all: Column[];
  private readonly changing: Column[];
  private readonly keys: Column[];
  private readonly insertOfRows: Insertion['ofRows'];
  private readonly updateSql: string;
  private readonly mergedUpdateSql: string | null;

  /** @throws ConfigError for a schema that no module declares */
  constructor(
    private readonly dataSource: DataSource,
    schema: EntitySchema<Entity>,
  ) {
    if (!dataSource.hasMetadata(schema))
      throw new ConfigError(
        `The entity schema "${schema.options.name}" is declared by no module. Add it to the entities of one.`,
      );
    const { tableName, columns, primaryColumns } = dataSource.getMetadata(schema);
    this.name = tableName;
    this.all = columns;
    this.keys = primaryColumns;
    this.changing = columns.filter((column) => column.isUpdate && !column.isPrimary);
    this.columnNames = columns.map(columnName);
    this.columns = this.columnNames.join(', ');
    this.insertOfRows = insertOfRows(tableName, this.columnNames);
    this.updateSql = this.buildUpdate();
    // An array of arrays would need them to have the same length.
    this.mergedUpdateSql = columns.some(({ isArray }) => isArray) ? null : this.buildMergedUpdate();
  }

  /** Reads rows of the column `id` from several tables of this form. @param condition SQL that they fulfil, too */
  byIds(ids: readonly string[], tables: readonly string[], condition = 'true'): Statement {
    const parts = tables.map(
      (table) => `SELECT ${this.columns} FROM ${table} WHERE id = ANY ($1) AND ${condition}`,
    );
    return { sql: parts.join(' UNION ALL '), params: [ids] };
  }

  /** Inserts all entities with one statement: at most `MAX_ROWS`. */
  insert(...entities: Readonly<Entity>[]): Insertion {
    const rows = entities.length;
    const [first] = entities;
    const params =
      rows === 1
        ? this.values(this.all, first!)
        : entities.flatMap((entity) => this.values(this.all, entity));
    return { sql: this.insertOfRows(rows), params, rows, ofRows: this.insertOfRows };
  }

  /** Inserts any number of entities. */
  insertAll(entities: readonly Readonly<Entity>[]): Insertion[] {
    const parts = Math.ceil(entities.length / MAX_ROWS);
    return Array.from({ length: parts }, (_, part) =>
      this.insert(...entities.slice(part * MAX_ROWS, (part + 1) * MAX_ROWS)),
    );
  }

  /** Writes every column that may change. */
  update(entity: Readonly<Entity>): RowUpdate {
    const stored = this.values(this.all, entity);
    const values: ObjectLiteral = {};
    for (const [index, { databaseName }] of this.all.entries()) values[databaseName] = stored[index];
    const ofRow = ({ databaseName }: Column): unknown => values[databaseName];
    const keys = this.keys.map(ofRow);
    return {
      sql: this.updateSql,
      params: [...this.changing.map(ofRow), ...keys],
      row: this.row(...keys),
      mergedSql: this.mergedUpdateSql,
      values,
    };
  }

  private buildUpdate(): string {
    const pairs = [...this.changing, ...this.keys].map(
      (column, index) => `${columnName(column)} = $${index + 1}`,
    );
    const [set, where] = [pairs.slice(0, this.changing.length), pairs.slice(this.changing.length)];
    return `UPDATE ${this.name} SET ${set.join(', ')} WHERE ${where.join(' AND ')}`;
  }

  private buildMergedUpdate(): string {
    const columns = [...this.changing, ...this.keys];
    const arrays = columns.map(
      (column, index) => `$${index + 1}::${this.dataSource.driver.normalizeType(column)}[]`,
    );
    const set = this.changing.map((column) => `${columnName(column)} = changed.${columnName(column)}`);
    const where = this.keys.map(
      (column) => `${this.name}.${columnName(column)} = changed.${columnName(column)}`,
    );
    return `UPDATE ${this.name} SET ${set.join(', ')} FROM unnest(${arrays.join(', ')})
      AS changed (${columns.map(columnName).join(', ')}) WHERE ${where.join(' AND ')}`;
  }

  /** Identifies a row by the values of its primary key. */
  private row(...keys: readonly unknown[]): string {
    return [this.name, ...keys].join(' ');
  }

  /** The key of a row whose primary key is one column. */
  rowKey(key: string): RowKey {
    const [{ databaseName }] = this.keys as [Column];
    return {
      row: this.row(key),
      key,
      sql: `SELECT ${this.columns} FROM ${this.name} WHERE "${databaseName}" = ANY ($1)`,
      columns: [databaseName],
    };
  }

  /** Builds the entity from a row of {@link columns}. */
  entity(row: ObjectLiteral): Entity {
    return this.hydrate(this.all[0]!.entityMetadata.create() as ObjectLiteral, this.all, row) as Entity;
  }

  /** Reads some members of each entity, with fewer columns than the whole one: always the same list of them. */
  part<Member extends keyof Entity>(members: readonly Member[]): RowReader<Pick<Entity, Member>> {
    const known = this.parts.get(members);
    if (known !== undefined) return known as RowReader<Pick<Entity, Member>>;
    const columns = this.all.filter(({ propertyName }) =>
      (members as readonly unknown[]).includes(propertyName),
    );
    const entity = (row: ObjectLiteral) => this.hydrate({}, columns, row) as Pick<Entity, Member>;
    const part = { columnNames: columns.map(columnName), entity };
    this.parts.set(members, part);
    return part;
  }

  private hydrate(entity: ObjectLiteral, columns: readonly Column[], row: ObjectLiteral): ObjectLiteral {
    const { driver } = this.dataSource;
    for (const column of columns) {
      const stored: unknown = row[column.databaseName];
      entity[column.propertyName] = isPlain(column)
        ? stored
        : (driver.prepareHydratedValue(stored, column) as unknown);
    }
    return entity;
  }

  /** The quoted name of a property's column. @throws Error for an unknown property */
  columnOf(property: string): string {
    const column = this.all.find(({ propertyName }) => propertyName === property);
    if (column === undefined) throw new Error(`The table ${this.name} has no property "${property}".`);
    return columnName(column);
  }

  private values(columns: Column[], entity: Readonly<Entity>): unknown[] {
    const { driver } = this.dataSource;
    return columns.map((column): unknown => {
      const value: unknown = entity[column.propertyName];
      return isPlain(column) ? value : driver.preparePersistentValue(value, column);
    });
  }
}

const PLAIN_TYPES = new Set(['text', 'integer', 'boolean', 'bytea', 'timestamptz']);

/** Most columns need no conversion beside that of the driver. To let TypeORM find that out takes longer than to ask here. */
function isPlain({ type, transformer }: Column): boolean {
  return transformer === undefined && PLAIN_TYPES.has(type as string);
}

function columnName(column: Column): string {
  return `"${column.databaseName}"`;
}

/** A LIKE pattern for text that contains `part`, with `%`, `_` and `\` escaped. */
export function containing(part: string): string {
  return `%${part.replace(/[\\%_]/g, '\\$&')}%`;
}

/** Converts bigint columns, which the driver returns as strings, to numbers. */
export const safeBigint = {
  to: (value: number): number => value,
  from: (value: string): number => {
    const units = Number(value);
    if (!Number.isSafeInteger(units)) throw new Error('The database returned a number beyond 2^53 - 1.');
    return units;
  },
};

/**
 * The column of a version of the API. The default is for rows that a replica of an earlier release writes, which knows no
 * other one.
 */
export const apiVersion = {
  name: 'api_version',
  type: 'text',
  default: FIRST_VERSION,
} as const satisfies EntitySchemaColumnOptions;

/** The column of the member of EventSource. */
export const eventCount = {
  name: 'event_count',
  type: 'integer',
  default: 0,
} as const satisfies EntitySchemaColumnOptions;
