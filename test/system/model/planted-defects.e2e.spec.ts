import type { QueryResultRow } from 'pg';
import { JournalSubledger } from '../../../src/modules/ledger/ledger.service';
import { AccountStore } from '../../../src/modules/accounts/application/account-store.service';
import { FindByKey } from '../../../src/platform/database/engine/keyed-look-ups';
import { Chain, GroupTx } from '../../../src/platform/database/engine/group-tx';
import { IdempotentOperation, StoredResponse } from '../../../src/platform/database/database';
import { IdempotencyStore, Replay } from '../../../src/platform/database/engine/idempotency-store';
import { PostgresDatabase } from '../../../src/platform/database/engine/postgres-database';
import { PreparingClient } from '../../../src/platform/database/engine/connection';
import { Tx } from '../../../src/platform/database/tx';
import { SEED } from '../../support/rounds';
import { TestService } from '../../support/service';
import { runHistories, startModelledService } from './run-histories';

describe(`Random histories differ from the model when a defect is planted (seed ${SEED}):`, () => {
  let service: TestService;

  beforeEach(async () => {
    service = await startModelledService();
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    await service.stop();
  });

  it.each<[string, () => void]>([
    ['a refund adds to the balance', withRefundsAdded],
    ['what is held counts as available', withHoldsForgotten],
    ['the response is stored in a separate transaction', withResponsesStoredApart],
    ['a creation of a group decides on an old balance', withOldValues('posted', 'held', 'pending_in')],
    ['two creations of a group get the same number', withOldValues('last_id_at', 'last_id_number')],
    ['a rejected creation of a group still writes', withRejectedWrites],
  ])(
    '%s',
    async (_, plant) => {
      plant();
      const { failed } = await runHistories(service, 200, false);
      expect(failed).toBe(true);
    },
    300_000,
  );

  // Without a defect, the same requests agree with the model: the first run shows that replicas make no difference.
  it('the account is not locked, which lets replicas overwrite each other', async () => {
    const replica = await service.replica();
    try {
      expect((await runHistories(service, 10, false, replica)).failed).toBe(false);
      withoutLock();
      expect((await runHistories(service, 200, false, replica)).failed).toBe(true);
    } finally {
      await replica.stop();
    }
  }, 300_000);
});

function withoutLock(): void {
  replace(PreparingClient.prototype as unknown as { query: Query }, 'query', (query) => {
    return function (config, ...rest) {
      const isLock = typeof config === 'object' && /FROM accounts WHERE id = \$1 FOR/.test(config.text ?? '');
      const sent = isLock ? { ...config, text: config.text!.replace(/ FOR UPDATE.*/, '') } : config;
      return query.call(this, sent, ...rest);
    };
  });
}

type Query = (this: PreparingClient, config: string | { text?: string }, ...rest: unknown[]) => unknown;

function withRefundsAdded(): void {
  replace(JournalSubledger.prototype, 'post', (post) => {
    return function (this: JournalSubledger, tx, account, posting, now) {
      if (posting.direction === 'out') {
        account.release('out', posting.amount);
        account.hold('in', posting.amount);
      }
      post.call(this, tx, account, { ...posting, direction: 'in' }, now);
    };
  });
}

function withHoldsForgotten(): void {
  replace(JournalSubledger.prototype, 'hold', (hold) => {
    return function (this: JournalSubledger, account, posting) {
      const { held } = account;
      Object.assign(account, { held: 0 });
      hold.call(this, account, posting);
      Object.assign(account, { held: account.held + held });
    };
  });
}

/** Looks the key up, runs the work and stores the response in three transactions. */
function withResponsesStoredApart(): void {
  type Idempotent = (
    this: PostgresDatabase,
    operation: IdempotentOperation<unknown>,
    work: unknown,
    locks?: string,
  ) => Promise<StoredResponse>;
  replace(PostgresDatabase.prototype as unknown as { idempotent: Idempotent }, 'idempotent', (idempotent) => {
    return async function (operation, work, locks) {
      if (operation.key === null) return idempotent.call(this, operation, work, locks);
      const store = new IdempotencyStore(['another secret that is only used in tests']);
      const find: FindByKey = async ({ sql }, values) => {
        const [row = null] = await this.query(
          sql,
          values.map((value) => [value]),
        );
        return row;
      };
      const found = await store.lookUp(operation, new Date(0), find).catch((error: unknown) => error);
      if (found instanceof Replay) return found.response;
      if (found instanceof Error) throw found;
      const response = await idempotent.call(this, { ...operation, key: null }, work, locks);
      const render = () => JSON.parse(response.body) as object;
      const keep = async (tx: Tx, now: Date) => void store.store(tx, { ...operation, render }, null, now);
      await this.transaction(keep).catch(() => undefined);
      return response;
    };
  });
}

/** From the third creation of a group on, these columns have the values that the first has left. */
function withOldValues(...columns: string[]): () => void {
  const firstRows = new WeakMap<Chain, Map<string, QueryResultRow>>();
  return () =>
    replace(Chain.prototype, 'add', (add) => {
      return function (this: Chain, { keyRows, ...writes }) {
        const firsts = firstRows.get(this) ?? new Map<string, QueryResultRow>();
        firstRows.set(this, firsts);
        const changed = new Map(
          [...(keyRows ?? [])].map(([name, values]) => {
            if (values === null) return [name, null];
            const first = firsts.get(name) ?? values;
            firsts.set(name, first);
            const old = columns.map((column) => [column, first[column] as unknown]);
            return [name, { ...values, ...Object.fromEntries(old) }];
          }),
        );
        add.call(this, { ...writes, keyRows: changed });
      };
    });
}

/** Commits what a creation had changed of its account when it was rejected. */
function withRejectedWrites(): void {
  type Saving = { repository: { save(tx: Tx, account: object): void } };
  replace(AccountStore.prototype, 'update', (update) => {
    return function (this: AccountStore, tx, id, work, ...rest) {
      const alsoIfRejected: typeof work = async (account) => {
        try {
          return await work(account);
        } catch (error) {
          (this as unknown as Saving).repository.save(tx, account);
          throw error;
        }
      };
      return update.call(this, tx, id, alsoIfRejected, ...rest) as never;
    };
  });
  replace(GroupTx.prototype, 'abort', (abort) => {
    return function (this: GroupTx) {
      if (this.hasLockedKey) (this as unknown as { chain: Chain }).chain.add(this.handOver());
      return abort.call(this);
    };
  });
}

/** Replaces a method until the end of the test. */
function replace<T extends object, Name extends keyof T>(
  prototype: T,
  name: Name,
  make: (original: T[Name]) => T[Name],
): void {
  const original = prototype[name];
  jest.spyOn(prototype as any, name as any).mockImplementation(make(original) as any);
}
