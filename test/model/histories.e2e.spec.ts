import fc from 'fast-check';
import { Ledger } from '../../src/modules/ledger';
import { TypeormAccountsRepository } from '../../src/modules/accounts/infrastructure/typeorm-accounts.repository';
import { Database } from '../../src/platform/database/database';
import { Answer, IdempotencyStore, Once, Replay } from '../../src/platform/database/idempotency';
import { Tx } from '../../src/platform/database/tx';
import { rounds, SEED } from '../support/rounds';
import { startTestService, TestService } from '../support/service';
import { AccountModel } from './account.model';
import { ACCOUNTS, histories } from './commands';
import { DELAY_SECONDS, World } from './world';

const LENGTH = 25;
const ENV = { ACCESS_TOKEN_TTL: '86400', SETTLEMENT_DELAY_SECONDS: String(DELAY_SECONDS) };

describe(`random histories over HTTP, held against a model after every step (seed ${SEED})`, () => {
  let service: TestService;

  // A service each: what a planted defect has spoilt would be found again by the next.
  beforeEach(async () => {
    service = await startTestService(ENV);
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    await service.stop();
  });

  /** Plays histories until one does not agree with the model. */
  const play = (count: number, shrink: boolean) =>
    fc.check(
      fc.asyncProperty(histories(LENGTH), async (commands) => {
        const world = await World.with(service, ACCOUNTS);
        const models = Array.from({ length: ACCOUNTS }, () => new AccountModel());
        await fc.asyncModelRun(() => ({ model: models, real: world }), commands);
      }),
      { seed: SEED, numRuns: count, endOnFailure: !shrink },
    );

  it(
    'agree',
    async () => {
      const result = await play(rounds(25), true);
      if (result.failed) throw new Error(fc.defaultReportMessage(result), { cause: result.errorInstance });
    },
    60_000 + rounds(25) * 5_000,
  );

  describe('do not agree, when a defect is planted:', () => {
    it.each<[string, () => void]>([
      ['the account is not locked', withoutLock],
      ['a refund adds to the balance', withRefundsAdded],
      ['what is held counts as available', withHoldsForgotten],
      ['the answer is stored in a transaction of its own', withAnswersStoredApart],
    ])(
      '%s',
      async (_, plant) => {
        plant();
        const { failed } = await play(200, false);
        expect(failed).toBe(true);
      },
      300_000,
    );
  });
});

function withoutLock(): void {
  replace(TypeormAccountsRepository.prototype, 'lock', (lock) => {
    return function (this: TypeormAccountsRepository, tx, id) {
      const read = (sql: string, params: unknown[]) => tx.read(sql.replace('FOR UPDATE', ''), params);
      return lock.call(this, { read } as unknown as typeof tx, id);
    };
  });
}

function withRefundsAdded(): void {
  replace(Ledger.prototype, 'post', (post) => {
    return function (this: Ledger, tx, account, movement, now) {
      if (movement.direction === 'out') {
        account.held -= movement.amount;
        account.pendingIn += movement.amount;
      }
      post.call(this, tx, account, { ...movement, direction: 'in' }, now);
    };
  });
}

function withHoldsForgotten(): void {
  replace(Ledger.prototype, 'reserve', (reserve) => {
    return function (this: Ledger, account, movement) {
      const { held } = account;
      account.held = 0;
      reserve.call(this, account, movement);
      account.held += held;
    };
  });
}

/** Looks the key up, does the work, stores the answer: each on its own. */
function withAnswersStoredApart(): void {
  type Atomically = (this: Database, once: Once<unknown> | null, work: unknown) => Promise<unknown>;
  replace(Database.prototype as unknown as { atomically: Atomically }, 'atomically', (atomically) => {
    return async function (once, work) {
      if (!once?.key) return atomically.call(this, once, work);
      const store = new IdempotencyStore(['another secret that is only used in tests']);
      const send = async (sql: string, params: readonly unknown[]) => ({
        rows: await this.read(sql, params),
      });
      const found = await store.lookUp(once, new Date(0), send as never).catch((error: unknown) => error);
      if (found instanceof Replay) return found.answer;
      if (found instanceof Error) throw found;
      const answer = (await atomically.call(this, { ...once, key: null }, work)) as Answer;
      const render = () => JSON.parse(answer.body) as object;
      const remember = async (tx: Tx, now: Date) => void store.remember(tx, { ...once, render }, null, now);
      await atomically.call(this, null, remember).catch(() => undefined);
      return answer;
    };
  });
}

/** Puts another method in the place of one, until the test is over. */
function replace<T extends object, Name extends keyof T>(
  prototype: T,
  name: Name,
  make: (original: T[Name]) => T[Name],
): void {
  const original = prototype[name];
  jest.spyOn(prototype as any, name as any).mockImplementation(make(original) as any);
}
