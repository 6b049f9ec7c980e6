import { EventSource } from '../../../src/kernel/entity';
import { Account, ReadonlyAccount } from '../../../src/modules/accounts/domain/account';
import { AccountStore } from '../../../src/modules/accounts/domain/account-store';
import { Snapshot, Tx } from '../../../src/platform/database/tx';

const noon = new Date('2026-03-01T12:00:00.000Z');

/** Each lock reads a new object, as from the database. */
class TestAccountStore extends AccountStore {
  readonly saved: string[] = [];
  readonly events: string[] = [];

  async find(): Promise<Account | null> {
    return null;
  }

  async *stream(_: Snapshot): AsyncIterable<Account[]> {}

  protected async lock(_: Tx, id: string): Promise<Account> {
    const account = Account.create({ email: 'books@example.com', name: id, type: 'business' }, noon);
    return Object.assign(account, { id });
  }

  protected save(_: Tx, { id }: Account): void {
    this.saved.push(id);
  }

  protected addEvent(_: Tx, type: string): void {
    this.events.push(type);
  }
}

describe('An update of an account', () => {
  const nothing = async (): Promise<void> => undefined;
  let store: TestAccountStore;
  let tx: Tx;

  beforeEach(() => {
    store = new TestAccountStore();
    tx = {} as Tx;
  });

  it('rejects an update of the same account within it, whose changes it would overwrite', async () => {
    const nested = store.update(tx, 'acc_1', () => store.update(tx, 'acc_1', nothing));
    await expect(nested).rejects.toThrow('The account acc_1 is already locked by an enclosing update.');
    expect(store.saved).toEqual([]);
  });

  it('can contain an update of another account, or in another transaction', async () => {
    await store.update(tx, 'acc_1', () => store.update(tx, 'acc_2', nothing));
    await store.update(tx, 'acc_1', () => store.update({} as Tx, 'acc_1', nothing));
    expect(store.saved).toEqual(['acc_2', 'acc_1', 'acc_1', 'acc_1']);
  });

  it('can follow another one in the same transaction, also one that failed', async () => {
    const failing = async (): Promise<void> => {
      throw new Error('failed');
    };
    await expect(store.update(tx, 'acc_1', failing)).rejects.toThrow('failed');
    await store.update(tx, 'acc_1', nothing);
    await store.update(tx, 'acc_1', nothing);
    expect(store.saved).toEqual(['acc_1', 'acc_1']);
  });

  it('is where events of the account are recorded: they need its lock', async () => {
    const resource = {} as EventSource;
    const record = async (account: ReadonlyAccount): Promise<ReadonlyAccount> => {
      store.recordEvent(tx, 'payout.created', resource, account);
      return account;
    };
    const account = await store.update(tx, 'acc_1', record);
    expect(store.events).toEqual(['payout.created']);

    const withoutLock = () => store.recordEvent(tx, 'payout.paid', resource, account);
    const message = 'The event payout.paid of the account acc_1 needs an update of the account.';
    expect(withoutLock).toThrow(message);
    await store.update(tx, 'acc_2', async () => expect(withoutLock).toThrow(message));
    await store.update({} as Tx, 'acc_1', async () => expect(withoutLock).toThrow(message));
    expect(store.events).toEqual(['payout.created']);
  });
});
