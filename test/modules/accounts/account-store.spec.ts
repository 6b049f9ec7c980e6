import { EventSource } from '../../../src/kernel/entity';
import { AccountStore } from '../../../src/modules/accounts/application/account-store.service';
import { Account } from '../../../src/modules/accounts/domain/account';
import { AccountsRepository } from '../../../src/modules/accounts/domain/accounts.repository';
import { AuditTrail } from '../../../src/platform/audit/audit-trail';
import { Database } from '../../../src/platform/database/database';
import { Tx } from '../../../src/platform/database/tx';
import { EventRecorder } from '../../../src/platform/events/event-recorder';

const noon = new Date('2026-03-01T12:00:00.000Z');

/** Each lock reads a new object, as from the database. */
function repositoryOf(saved: string[]): Pick<AccountsRepository, 'lock' | 'save'> {
  return {
    lock: async (_, id) => {
      const account = Account.create({ email: 'books@example.com', name: id, type: 'business' }, noon);
      return Object.assign(account, { id });
    },
    save: (_, { id }) => saved.push(id),
  };
}

class TestRecorder extends EventRecorder {
  readonly events: string[] = [];

  protected record(_: Tx, type: string): void {
    this.events.push(type);
  }
}

class Payout extends EventSource {
  readonly id = 'pout_1';
}

describe('An update of an account', () => {
  const nothing = async (): Promise<void> => undefined;
  let store: AccountStore;
  let saved: string[];
  let recorder: TestRecorder;
  let tx: Tx;

  beforeEach(() => {
    saved = [];
    recorder = new TestRecorder();
    const repository = repositoryOf(saved) as AccountsRepository;
    store = new AccountStore({} as Database, repository, recorder, {} as AuditTrail);
    tx = {} as Tx;
  });

  it('rejects an update of the same account within it, whose changes it would overwrite', async () => {
    const nested = store.update(tx, 'acc_1', () => store.update(tx, 'acc_1', nothing));
    await expect(nested).rejects.toThrow('The account acc_1 is already locked by an enclosing update.');
    expect(saved).toEqual([]);
  });

  it('can contain an update of another account, or in another transaction', async () => {
    await store.update(tx, 'acc_1', () => store.update(tx, 'acc_2', nothing));
    await store.update(tx, 'acc_1', () => store.update({} as Tx, 'acc_1', nothing));
    expect(saved).toEqual(['acc_2', 'acc_1', 'acc_1', 'acc_1']);
  });

  it('can follow another one in the same transaction, also one that failed', async () => {
    const failing = async (): Promise<void> => {
      throw new Error('failed');
    };
    await expect(store.update(tx, 'acc_1', failing)).rejects.toThrow('failed');
    await store.update(tx, 'acc_1', nothing);
    await store.update(tx, 'acc_1', nothing);
    expect(saved).toEqual(['acc_1', 'acc_1']);
  });

  it('is where events of the account are recorded: they need its lock', async () => {
    const payout = new Payout();
    const write = (type: string) => {
      payout.addEvent(type, 'acc_1');
      recorder.write(tx, payout);
    };
    await store.update(tx, 'acc_1', async () => write('payout.created'));
    expect(recorder.events).toEqual(['payout.created']);

    const withoutLock = () => write('payout.paid');
    const message = 'The event payout.paid of the account acc_1 needs an update of the account.';
    expect(withoutLock).toThrow(message);
    await store.update(tx, 'acc_2', async () => expect(withoutLock).toThrow(message));
    await store.update({} as Tx, 'acc_1', async () => expect(withoutLock).toThrow(message));
    expect(recorder.events).toEqual(['payout.created']);
  });
});
