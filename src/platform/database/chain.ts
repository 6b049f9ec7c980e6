import type { QueryResultRow } from 'pg';
import type { KeyedLookUps } from './keyed-look-ups';
import type { QueuedStatement } from './queued-statement';
import { merge } from './queued-statement';
import type { Statement } from './tx';

/** What a task leaves to its group when it has succeeded. */
export interface TaskWrites {
  readonly queue: readonly QueuedStatement[];
  /** The row of the key; null when the task has not saved it as a whole. */
  readonly keyRow: { readonly name: string; readonly values: QueryResultRow } | null;
}

/**
 * What tasks with the same key pass on in a group. They run one after another, and each decides on what those before it
 * have decided: it gets the row of the key from memory. Before it reads anything else, the database executes their
 * statements.
 */
export class Chain {
  private readonly queue: QueuedStatement[] = [];
  private keyRow: TaskWrites['keyRow'] = null;

  /**
   * @param isShared whether tasks with other keys are in the same database transaction
   * @param lookUps those of all tasks of the group
   * @param onOneServer whether a statement may name rows of several keys
   */
  constructor(
    readonly isShared: boolean,
    readonly lookUps: KeyedLookUps,
    readonly onOneServer: boolean,
  ) {}

  /** Adds the writes of a task that has succeeded. */
  add({ queue, keyRow }: TaskWrites): void {
    this.queue.push(...queue);
    this.keyRow = keyRow;
  }

  /** The row of the key as the last task has saved it under this name; null when it must be read. */
  rowOf(name: string | undefined): QueryResultRow | null {
    return this.keyRow !== null && this.keyRow.name === name ? this.keyRow.values : null;
  }

  /** Returns, once, the statements that the database executes before a task reads. */
  takeQueue(): Statement[] {
    return merge(this.queue.splice(0), this.onOneServer);
  }

  /** Returns, once, all that the database has not executed. */
  takeAll(): QueuedStatement[] {
    return this.queue.splice(0);
  }
}
