import type { QueryResultRow } from 'pg';
import type { KeyedLookUp, Send } from '../tx';

interface Waiting extends KeyedLookUp {
  readonly keys: (readonly string[])[];
  /** The rows by their keys, once the statement is sent. */
  readonly rows: Promise<ReadonlyMap<string, QueryResultRow>>;
  readonly resolve: (rows: Promise<ReadonlyMap<string, QueryResultRow>>) => void;
}

/** Finds one row. The result is null if there is none, or if another transaction has locked a row to be locked. */
export type FindByKey = (lookUp: KeyedLookUp, key: readonly string[]) => Promise<QueryResultRow | null>;

/**
 * Makes the look-ups of the tasks of a group together: those with the same text are one statement. Tasks go on at the same
 * time after a statement that they share, so those that follow gather until all tasks wait.
 */
export class KeyedLookUps {
  private readonly waiting = new Map<string, Waiting>();
  private started = false;

  /** @param merges whether a statement may name several keys */
  constructor(
    private readonly send: Send,
    private readonly merges = true,
  ) {}

  /** Finds one row at once. */
  static findOne(send: Send, lookUp: KeyedLookUp, key: readonly string[]): Promise<QueryResultRow | null> {
    const lookUps = new KeyedLookUps(send);
    const row = lookUps.find(lookUp, key);
    lookUps.start();
    return row;
  }

  async find(lookUp: KeyedLookUp, key: readonly string[]): Promise<QueryResultRow | null> {
    if (this.started && this.waiting.size === 0) process.nextTick(() => this.sendAll());
    let waiting = this.waiting.get(lookUp.sql);
    if (waiting === undefined) {
      let resolve!: Waiting['resolve'];
      const rows = new Promise<ReadonlyMap<string, QueryResultRow>>((settle) => (resolve = settle));
      waiting = { keys: [], rows, resolve, ...lookUp };
      this.waiting.set(lookUp.sql, waiting);
    }
    waiting.keys.push(key);
    return (await waiting.rows).get(join(key)) ?? null;
  }

  /** Sends what has gathered. From now on, look-ups are sent as soon as nothing else is to be done. */
  start(): void {
    this.started = true;
    this.sendAll();
  }

  private sendAll(): void {
    for (const waiting of this.waiting.values()) waiting.resolve(this.readRows(waiting));
    this.waiting.clear();
  }

  private async readRows(waiting: Waiting): Promise<ReadonlyMap<string, QueryResultRow>> {
    const { sql, ofOne, columns, keys } = waiting;
    const isOneByOne = ofOne !== undefined && (keys.length === 1 || !this.merges);
    const results = isOneByOne
      ? keys.map((key) => this.send(ofOne, key))
      : [
          this.send(
            sql,
            columns.map((_, index) => keys.map((key) => key[index])),
          ),
        ];
    const rows = (await Promise.all(results)).flatMap((result) => result.rows as QueryResultRow[]);
    return new Map(rows.map((row) => [join(columns.map((column) => row[column] as string)), row]));
  }
}

function join(key: readonly string[]): string {
  return key.join('\n');
}
