import type { EventSource } from '../../kernel/entity';
import type { Tx } from '../database/tx';

/** What the recorder needs of an account whose event it records. */
export interface EventAccount {
  readonly id: string;
  /** Whether a module delivers the events of the account. */
  readonly deliversEvents: boolean;
  /** Issues the id of the next event. Ids of one account rise in the order of the commits. */
  issueEventId(now: Date): { readonly id: string; readonly at: Date };
}

/** Records the changes of resources as events. The events module implements it. */
export abstract class EventRecorder {
  /**
   * Adds an event that commits with `tx` or not at all. It shows the resource as it is now and counts the event there, so
   * call it after the change and before the resource is saved.
   * @param type a type that a module declares (ServiceModule), for example `transaction.created`
   * @param resource its row is locked or new
   * @param account the account that the event belongs to, which `tx` has locked and saves afterwards; null for an event
   * that only admins and platform systems see
   */
  abstract record(tx: Tx, type: string, resource: EventSource, account: EventAccount | null): void;
}
