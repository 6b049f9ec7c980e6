import type { Tx } from '../../../platform/database/tx';

/** The events that have been processed. */
export abstract class ProcessorEventsRepository {
  /**
   * Records an event in the database transaction that processes it. A concurrent call for the same event waits until
   * that transaction ends.
   * @returns whether the event is new
   */
  abstract claim(tx: Tx, id: string, now: Date): Promise<boolean>;
  /** Deletes a bounded number of events that the processor no longer repeats. @returns whether there may be more */
  abstract deleteOld(now: Date): Promise<boolean>;
}
