import { DataSource, EntityMetadata, EntitySchema, ObjectLiteral } from 'typeorm';

type Column = EntityMetadata['columns'][number];

export interface Statement {
  readonly sql: string;
  readonly params: readonly unknown[];
}

/** Adds rows to a table. Two of them with the same `ofRows` can go as one: that text for both, with all params. */
export interface Insertion extends Statement {
  readonly rows: number;
  readonly ofRows: (count: number) => string;
}

/**
 * The statements of one mapped class, made once from its EntitySchema.
 *
 * Their text never varies, so each is prepared once per connection; TypeORM's builders would make it anew for every
 * row. Columns that the schema marks `update: false` are written at creation only.
 */
export class Table<Entity extends ObjectLiteral> {
  /** All columns, for `SELECT`. */
  readonly columns: string;
  private readonly all: Column[];
  private readonly changing: Column[];
  private readonly keys: Column[];
  private readonly insertInto: string;
  /** By the number of rows. */
  private readonly insertTexts = new Map<number, string>();
  private readonly updateSql: string;

  constructor(
    private readonly dataSource: DataSource,
    schema: EntitySchema<Entity>,
  ) {
    const { tableName, columns, primaryColumns } = dataSource.getMetadata(schema);
    this.all = columns;
    this.keys = primaryColumns;
    this.changing = columns.filter((column) => column.isUpdate && !column.isPrimary);
    this.columns = columns.map(name).join(', ');
    this.insertInto = `INSERT INTO ${tableName} (${this.columns}) VALUES `;
    const assignments = this.changing.map((column, index) => `${name(column)} = $${index + 1}`);
    const conditions = this.keys.map(
      (column, index) => `${name(column)} = $${assignments.length + index + 1}`,
    );
    this.updateSql = `UPDATE ${tableName} SET ${assignments.join(', ')} WHERE ${conditions.join(' AND ')}`;
  }

  /** All of them in one statement. */
  insert(...entities: Entity[]): Insertion {
    const rows = entities.length;
    const params = entities.flatMap((entity) => this.values(this.all, entity));
    return { sql: this.insertOfRows(rows), params, rows, ofRows: this.insertOfRows };
  }

  private readonly insertOfRows = (count: number): string => {
    let sql = this.insertTexts.get(count);
    if (sql === undefined) {
      const width = this.all.length;
      const row = (_: unknown, index: number): string =>
        `(${this.all.map((_, column) => `$${index * width + column + 1}`).join(', ')})`;
      sql = this.insertInto + Array.from({ length: count }, row).join(', ');
      this.insertTexts.set(count, sql);
    }
    return sql;
  };

  /** Writes every column that may change, by primary key. */
  update(entity: Entity): Statement {
    return { sql: this.updateSql, params: this.values([...this.changing, ...this.keys], entity) };
  }

  /** The entity that a row of {@link columns} stands for. */
  entity(row: ObjectLiteral): Entity {
    const { driver } = this.dataSource;
    const entity = this.all[0]!.entityMetadata.create() as Record<string, unknown>;
    for (const column of this.all) {
      const stored: unknown = row[column.databaseName];
      entity[column.propertyName] = isText(column)
        ? stored
        : (driver.prepareHydratedValue(stored, column) as unknown);
    }
    return entity as Entity;
  }

  private values(columns: Column[], entity: Entity): unknown[] {
    const { driver } = this.dataSource;
    return columns.map((column): unknown => {
      const value: unknown = entity[column.propertyName];
      return isText(column) ? value : driver.preparePersistentValue(value, column);
    });
  }
}

/** Text is the same in class and database, and most columns are text: the driver need not look at it. */
function isText({ type, transformer }: Column): boolean {
  return type === 'text' && transformer === undefined;
}

function name(column: Column): string {
  return `"${column.databaseName}"`;
}

/** A LIKE pattern for text that contains `part`, whose `%`, `_` and `\` are letters like any other. */
export function containing(part: string): string {
  return `%${part.replace(/[\\%_]/g, '\\$&')}%`;
}

/** Whole numbers that are bigint in the database: the driver hands those over as strings. */
export const safeBigint = {
  to: (value: number): number => value,
  from: (value: string): number => {
    const units = Number(value);
    if (!Number.isSafeInteger(units)) throw new Error('The database holds a number beyond 2^53 - 1.');
    return units;
  },
};
