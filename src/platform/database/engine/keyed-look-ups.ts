import type { QueryResultRow } from 'pg';
import type { KeyedLookUp, Send } from '../tx';

interface Waiting {
  readonly keys: (readonly string[])[];
  /** The rows by their keys, once the statement is sent. */
  readonly rows: Promise<ReadonlyMap<string, QueryResultRow>>;
  readonly resolve: (rows: Promise<ReadonlyMap<string, QueryResultRow>>) => void;
}

/** Finds one row. The result is null if there is none, or if another transaction has locked a row to be locked. */
export type FindByKey = (lookUp: KeyedLookUp, key: readonly string[]) => Promise<QueryResultRow | null>;

/** Makes the look-ups of the tasks of a group together: those with the same text are one statement. */
export class KeyedLookUps {
  private readonly waiting = new Map<string, Waiting & { readonly columns: readonly string[] }>();

  /** @param isGathering whether look-ups wait for `start` */
  constructor(
    private readonly send: Send,
    private isGathering = true,
  ) {}

  async find({ sql, columns }: KeyedLookUp, key: readonly string[]): Promise<QueryResultRow | null> {
    let waiting = this.waiting.get(sql);
    if (waiting === undefined) {
      let resolve!: Waiting['resolve'];
      const rows = new Promise<ReadonlyMap<string, QueryResultRow>>((settle) => (resolve = settle));
      waiting = { keys: [], rows, resolve, columns };
      this.waiting.set(sql, waiting);
    }
    waiting.keys.push(key);
    if (!this.isGathering) this.sendAll();
    return (await waiting.rows).get(join(key)) ?? null;
  }

  /** Sends what has gathered. From now on, each look-up is sent at once. */
  start(): void {
    this.isGathering = false;
    this.sendAll();
  }

  private sendAll(): void {
    for (const [sql, { keys, columns, resolve }] of this.waiting) {
      const params = columns.map((_, index) => keys.map((key) => key[index]));
      const keyOf = (row: QueryResultRow): string => join(columns.map((column) => row[column] as string));
      resolve(
        this.send(sql, params).then(
          ({ rows }) => new Map(rows.map((row: QueryResultRow) => [keyOf(row), row])),
        ),
      );
    }
    this.waiting.clear();
  }
}

function join(key: readonly string[]): string {
  return key.join('\n');
}
