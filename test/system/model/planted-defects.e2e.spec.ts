import { JournalSubledger } from '../../../src/modules/ledger/application/journal-ledger.service';
import { TypeormAccountsRepository } from '../../../src/modules/accounts/infrastructure/typeorm-accounts.repository';
import { IdempotentOperation, StoredResponse } from '../../../src/platform/database/database';
import { IdempotencyStore, Replay } from '../../../src/platform/database/idempotency-store';
import { PostgresDatabase } from '../../../src/platform/database/postgres-database';
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
    vi.restoreAllMocks();
    await service.stop();
  });

  it.each<[string, () => void]>([
    ['the account is not locked', withoutLock],
    ['a refund adds to the balance', withRefundsAdded],
    ['what is held counts as available', withHoldsForgotten],
    ['the response is stored in a separate transaction', withResponsesStoredApart],
  ])(
    '%s',
    async (_, plant) => {
      plant();
      const { failed } = await runHistories(service, 200, false);
      expect(failed).toBe(true);
    },
    300_000,
  );
});

function withoutLock(): void {
  replace(TypeormAccountsRepository.prototype, 'lock', (lock) => {
    return function (this: TypeormAccountsRepository, tx, id) {
      const lockRow: Tx['lockRow'] = async (sql, params) =>
        ((await tx.query(sql, params))[0] ?? null) as never;
      return lock.call(this, { lockRow } as unknown as Tx, id);
    };
  });
}

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
    lockKey?: string,
  ) => Promise<StoredResponse>;
  replace(PostgresDatabase.prototype as unknown as { idempotent: Idempotent }, 'idempotent', (idempotent) => {
    return async function (operation, work, lockKey) {
      if (operation.key === null) return idempotent.call(this, operation, work, lockKey);
      const store = new IdempotencyStore(['another secret that is only used in tests']);
      const send = async (sql: string, params: readonly unknown[]) => ({
        rows: await this.query(sql, params),
      });
      const found = await store
        .lookUp(operation, new Date(0), send as never)
        .catch((error: unknown) => error);
      if (found instanceof Replay) return found.response;
      if (found instanceof Error) throw found;
      const response = await idempotent.call(this, { ...operation, key: null }, work, lockKey);
      const render = () => JSON.parse(response.body) as object;
      const keep = async (tx: Tx, now: Date) => void store.store(tx, { ...operation, render }, null, now);
      await this.transaction(keep).catch(() => undefined);
      return response;
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
  vi.spyOn(prototype as any, name as any).mockImplementation(make(original) as any);
}
