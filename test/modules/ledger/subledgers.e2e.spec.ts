import { INestApplicationContext, Injectable, Module } from '@nestjs/common';
import { QueryRunner } from 'typeorm';
import { AccountStore } from '../../../src/modules/accounts';
import { AccountsModule } from '../../../src/modules/accounts/accounts.module';
import { Ledger, LedgerVerification, Posting, Subledger } from '../../../src/modules/ledger';
import { LedgerModule } from '../../../src/modules/ledger/ledger.module';
import { Database } from '../../../src/platform/database/database';
import { aTransaction } from '../../support/request-bodies';
import { anAccount, created, Owner } from '../../support/people';
import { startTestService, TestService } from '../../support/service';
import { contextOn } from './context';

const INSERT = 'INSERT INTO fees (account_id, id, amount, currency, status) VALUES ($1, $2, $3, $4, $5)';

/** A module that takes fees out of accounts, and so has a table of its own beside the transactions. */
@Injectable()
class Fees {
  private readonly subledger: Subledger;

  constructor(
    private readonly database: Database,
    private readonly accounts: AccountStore,
    ledger: Ledger,
  ) {
    this.subledger = ledger.subledger({
      table: 'fees',
      direction: 'out',
      heldStatuses: ['pending'],
      postedStatuses: ['charged'],
    });
  }

  add(accountId: string, amount: number, status: 'pending' | 'charged'): Promise<string> {
    return this.database.transaction((tx, now) =>
      this.accounts.update(tx, accountId, async (account) => {
        const { id, at } = account.issueId('fee', now);
        const posting: Posting = { transactionId: id, direction: 'out', amount };
        this.subledger.hold(account, posting);
        if (status === 'charged') this.subledger.post(tx, account, posting, at);
        tx.enqueue(INSERT, [accountId, id, amount, account.currency, status]);
        return id;
      }),
    );
  }
}

@Module({ imports: [AccountsModule, LedgerModule], providers: [Fees] })
class FeesModule {}

class CreateFees1900000000000 {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE TABLE fees (account_id text, id text, amount bigint NOT NULL, currency text NOT NULL,
      status text NOT NULL, PRIMARY KEY (account_id, id))`);
  }

  async down(): Promise<void> {}
}

const fees = { module: FeesModule, migrations: [CreateFees1900000000000], idPrefixes: ['fee'] };

@Injectable()
class Tips {
  constructor(ledger: Ledger) {
    ledger.subledger({ table: 'tips', direction: 'in', heldStatuses: [], postedStatuses: ['paid'] });
  }
}

@Module({ imports: [LedgerModule], providers: [Tips] })
class TipsModule {}

describe('A second subledger', () => {
  let service: TestService;
  let app: INestApplicationContext;
  let owner: Owner;
  let charged: string;

  beforeAll(async () => {
    service = await startTestService({}, undefined, [fees]);
    app = await contextOn(service, [fees]);
  });
  afterAll(async () => {
    await app.close();
    await service.stop();
  });

  /** An account that uses both tables: their postings alternate in its journal. */
  beforeEach(async () => {
    owner = await anAccount(service.api);
    const { accountId } = owner;
    const credit = () =>
      created(owner.api, '/v1/transactions', aTransaction(accountId, { type: 'credit', amount: 100 }));
    const module = app.get(Fees, { strict: false });
    await credit();
    charged = await module.add(accountId, 30, 'charged');
    await credit();
    await module.add(accountId, 5, 'pending');
    await created(owner.api, '/v1/transactions', aTransaction(accountId, { type: 'refund', amount: 20 }));
  });

  const faults = async (): Promise<readonly string[]> => {
    const found = await app.get(LedgerVerification).run(() => undefined);
    return found.faults.filter((fault) => fault.startsWith(owner.accountId));
  };

  it('explains its part of the balance: the audit finds no fault', async () => {
    const [account] = await service.sql('SELECT posted, held FROM accounts WHERE id = $1', [owner.accountId]);
    expect(account).toEqual({ posted: '150', held: '5' });
    expect(await faults()).toEqual([]);
  });

  it.each<[string, string, RegExp]>([
    ['a changed amount', 'UPDATE fees SET amount = 31 WHERE id = $1', /settled amounts sum to 149/],
    ['a deleted row', 'DELETE FROM fees WHERE id = $1', /settled amounts sum to 180/],
    ['a changed status', "UPDATE fees SET status = 'void' WHERE id = $1", /settled amounts sum to 180/],
    ['a held row', "UPDATE fees SET status = 'pending' WHERE id = $1", /settled amounts sum to 180/],
    [
      'a changed currency',
      "UPDATE fees SET currency = 'EUR' WHERE id = $1",
      /posted -30 USD, recorded -30 EUR/,
    ],
  ])('is compared with the journal: the audit finds %s', async (_, sql, fault) => {
    await service.sql(sql, [charged]);
    expect(await faults()).toEqual([expect.stringMatching(fault)]);
  });

  it('does not hide a fault of the first one', async () => {
    await service.sql("UPDATE transactions SET amount = 21 WHERE account_id = $1 AND type = 'refund'", [
      owner.accountId,
    ]);
    expect(await faults()).toEqual([expect.stringMatching(/settled amounts sum to 149/)]);
  });

  it('whose table does not exist stops the start', async () => {
    await expect(contextOn(service, [fees, { module: TipsModule }])).rejects.toThrow(
      'relation "tips" does not exist',
    );
  });

  it('on a table that is declared already stops the start', async () => {
    @Injectable()
    class OtherFees {
      constructor(ledger: Ledger) {
        ledger.subledger({ table: 'fees', direction: 'in', heldStatuses: [], postedStatuses: ['charged'] });
      }
    }
    @Module({ imports: [LedgerModule], providers: [OtherFees] })
    class OtherFeesModule {}
    await expect(contextOn(service, [fees, { module: OtherFeesModule }])).rejects.toThrow(/fees/);
  });
});
