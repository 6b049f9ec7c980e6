import type { ErrorCode } from '../../../kernel/domain-error';
import { DomainError } from '../../../kernel/domain-error';
import type { EventSource } from '../../../kernel/entity';
import type { Snapshot, Tx } from '../../../platform/database/tx';
import type { Account, ReadonlyAccount } from './account';

/** Access to accounts for other modules. */
export abstract class AccountStore {
  /** The ids of the accounts whose update is in progress, by transaction. */
  private readonly updating = new WeakMap<Tx, Set<string>>();

  /** Reads the account as committed, without a lock. */
  abstract find(id: string): Promise<ReadonlyAccount | null>;
  /** Reads all accounts in batches, by the bytes of their ids. */
  abstract stream(snapshot: Snapshot): AsyncIterable<ReadonlyAccount[]>;
  protected abstract lock(tx: Tx, id: string): Promise<Account | null>;
  protected abstract save(tx: Tx, account: Account): void;
  protected abstract addEvent(tx: Tx, type: string, resource: EventSource, account: ReadonlyAccount): void;

  /**
   * Locks the account until `tx` ends, passes it to `work` and then saves it. Updates of one account cannot be nested,
   * since the outer one would overwrite the changes of the inner one.
   * @returns the result of `work`
   * @throws DomainError with the code `missing` when the account does not exist; Error when `tx` is already updating it
   */
  async update<T>(
    tx: Tx,
    id: string,
    work: (account: ReadonlyAccount) => Promise<T>,
    missing: ErrorCode = 'not_found',
  ): Promise<T> {
    const updating = this.updating.get(tx) ?? new Set();
    this.updating.set(tx, updating);
    if (updating.has(id)) throw new Error(`The account ${id} is already locked by an enclosing update.`);
    updating.add(id);
    try {
      const account = await this.lock(tx, id);
      if (account === null) throw noSuchAccount(missing);
      const result = await work(account);
      this.save(tx, account);
      return result;
    } finally {
      updating.delete(id);
    }
  }

  /**
   * Records a change of what the account owns as an event that commits with `tx` or not at all. The event shows the
   * resource as it is now and is counted there, so call it after the change and before the resource is saved.
   * @param type a type that a module declares (ServiceModule), for example `transaction.created`
   * @throws Error outside an `update` of the account, whose lock keeps its events in order
   */
  recordEvent(tx: Tx, type: string, resource: EventSource, account: ReadonlyAccount): void {
    if (!this.updating.get(tx)?.has(account.id))
      throw new Error(`The event ${type} of the account ${account.id} needs an update of the account.`);
    this.addEvent(tx, type, resource, account);
  }
}

export function noSuchAccount(code: ErrorCode): DomainError {
  return new DomainError(code, 'There is no such account.');
}
