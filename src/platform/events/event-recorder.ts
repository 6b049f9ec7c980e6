import type { EventSource } from '../../kernel/entity';
import type { Tx } from '../database/database';

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
  /** The accounts whose update is in progress, by transaction. */
  private readonly updating = new WeakMap<Tx, Map<string, EventAccount>>();

  /**
   * Runs `work`, which may write events of the account. `tx` has locked the account, and `work` saves it at its end.
   * @throws Error when `tx` is already updating the account: its outer save would overwrite that of `work`
   */
  async whileUpdating<T>(tx: Tx, account: EventAccount, work: () => Promise<T>): Promise<T> {
    const updating = this.updating.get(tx) ?? new Map<string, EventAccount>();
    this.updating.set(tx, updating);
    if (updating.has(account.id))
      throw new Error(`The account ${account.id} is already locked by an enclosing update.`);
    updating.set(account.id, account);
    try {
      return await work();
    } finally {
      updating.delete(account.id);
    }
  }

  /**
   * Writes the events that a resource has collected, which commit with `tx` or not at all. They show the resource as it is
   * now and are counted there, so its repository calls this before it writes the row, which is locked or new.
   * @param owner the account, where the resource is the account itself
   * @throws Error for an event of an account that `tx` is not updating, whose lock keeps its events in order
   */
  write(tx: Tx, resource: EventSource, owner?: EventAccount): void {
    for (const { type, accountId } of resource.takeEvents()) {
      const account = accountId === null ? null : (owner ?? this.updating.get(tx)?.get(accountId));
      if (account === undefined)
        throw new Error(`The event ${type} of the account ${accountId} needs an update of the account.`);
      this.record(tx, type, resource, account);
    }
  }

  /** @param account null for an event that only admins and platform systems see */
  protected abstract record(tx: Tx, type: string, resource: EventSource, account: EventAccount | null): void;
}
