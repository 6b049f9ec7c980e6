import { INestApplicationContext } from '@nestjs/common';
import { Client } from 'pg';
import { newId } from '../../../src/kernel/ids';
import { LedgerVerification } from '../../../src/modules/ledger';
import { createEntries, Entry, hashEntry } from '../../../src/modules/ledger/entry';
import { aTransaction } from '../../support/request-bodies';
import { anAccount, created, Owner } from '../../support/people';
import { startTestService, TestService } from '../../support/service';
import { contextOn, emptyFunction } from './context';

let service: TestService;
let app: INestApplicationContext;

beforeAll(async () => {
  service = await startTestService();
  app = await contextOn(service);
});
afterAll(async () => {
  await app.close();
  await service.stop();
});

const verify = (progress: (entries: number) => void = () => undefined) =>
  app.get(LedgerVerification).run(progress);

const scripted = (sandbox_outcome: string) => ({ metadata: { sandbox_outcome } });

/** Three postings, 75 posted in all; a refund of 20 and a payment of 40 are pending. */
async function anAccountWithPostings(): Promise<Owner> {
  const owner = await anAccount(service.api);
  const record = (type: string, amount: number, members: object = {}) =>
    created(owner.api, '/v1/transactions', aTransaction(owner.accountId, { type, amount, ...members }));
  await record('credit', 100);
  await record('refund', 30);
  await record('credit', 5);
  await record('refund', 20, scripted('pending'));
  await record('payment', 40);
  await record('credit', 1, scripted('failed'));
  return owner;
}

/** Writes as a superuser with the triggers of the journal disabled. */
async function withoutTriggers(sql: string, params: unknown[]): Promise<void> {
  const client = new Client({ connectionString: service.databaseUrl });
  await client.connect();
  try {
    // Citus passes settings of a transaction on to the workers; without it, the name is that of any setting.
    await client.query("SET citus.propagate_set_commands = 'local'");
    await client.query('BEGIN');
    await client.query('SET LOCAL session_replication_role = replica');
    await client.query(sql, params);
    await client.query('COMMIT');
  } finally {
    await client.end();
  }
}

describe('A correct journal', () => {
  it('passes, also while the service is writing', async () => {
    const owners = await Promise.all(Array.from({ length: 5 }, anAccountWithPostings));
    let writing = true;
    const write = async ({ api, accountId }: Owner): Promise<void> => {
      const types = ['credit', 'payment', 'refund'];
      for (let index = 0; writing; index += 1) {
        await created(
          api,
          '/v1/transactions',
          aTransaction(accountId, { type: types[index % 3], amount: 1 }),
        );
      }
    };
    const writers = owners.map(write);
    const counts: number[] = [];
    for (let round = 0; round < 5; round += 1) {
      const { faults, entries, accounts } = await verify();
      expect(faults).toEqual([]);
      expect(accounts).toBeGreaterThanOrEqual(5);
      counts.push(entries);
    }
    writing = false;
    await Promise.all(writers);
    expect(counts.at(-1)).toBeGreaterThan(counts[0]!);
    const [stored] = await service.sql<{ count: string }>('SELECT count(*) FROM journal_entries');
    expect(await verify()).toMatchObject({ faults: [], entries: Number(stored!.count) });
  });
});

describe('The verification finds', () => {
  it.each<[string, string, RegExp]>([
    [
      'a changed amount',
      'UPDATE journal_entries SET amount = 31 WHERE account_id = $1 AND number = 4',
      /^entry 4: its hash does not follow/,
    ],
    [
      'a changed time of an entry',
      "UPDATE journal_entries SET posted_at = '2026-01-01Z' WHERE account_id = $1 AND number = 3",
      /^entry 3: its hash does not follow/,
    ],
    [
      'a deleted last posting',
      'DELETE FROM journal_entries WHERE account_id = $1 AND number > 4',
      /^has 4 entries, the account row has 6/,
    ],
    [
      'a deleted posting in the middle',
      'DELETE FROM journal_entries WHERE account_id = $1 AND number IN (3, 4)',
      /^entry 5: it should have number 3/,
    ],
    [
      'a deleted journal',
      'DELETE FROM journal_entries WHERE account_id = $1',
      /^has 0 entries, the account row has 6/,
    ],
    [
      'an inserted posting',
      `INSERT INTO journal_entries (account_id, number, transaction_id, leg, amount, currency, balance, posted_at, hash)
       SELECT $1, 6 + n, 'txn_forged', leg, amount, 'USD', amount + 75 * sign(amount), now(), sha256('forged')
       FROM (VALUES (1, 'customer', 1000), (2, 'clearing', -1000)) AS forged (n, leg, amount)`,
      /^entry 7: its hash does not follow/,
    ],
    [
      'a changed posted balance',
      'UPDATE accounts SET posted = posted + 1 WHERE id = $1',
      /^entries sum to 75, the account row has 76/,
    ],
    [
      'a changed held amount',
      'UPDATE accounts SET held = held - 1 WHERE id = $1',
      /^held amounts sum to 20, the account row has 19/,
    ],
    [
      'a changed expected amount',
      'UPDATE accounts SET pending_in = 0 WHERE id = $1',
      /^incoming amounts sum to 40, the account row has 0/,
    ],
    [
      'a changed end of the chain',
      "UPDATE accounts SET chain_head = sha256('forged') WHERE id = $1",
      /^the hash of the last entry is not that of the account row/,
    ],
    [
      'a changed entry count',
      'UPDATE accounts SET entry_count = 8 WHERE id = $1',
      /^has 6 entries, the account row has 8/,
    ],
    ['the currency', "UPDATE accounts SET currency = 'EUR' WHERE id = $1", /^entry 1: it is in USD/],
    ['a deleted account', 'DELETE FROM accounts WHERE id = $1', /^entry 1: the account does not exist/],
    [
      'a deleted settled transaction',
      "UPDATE transactions SET amount = 1000 WHERE account_id = $1 AND type = 'credit' AND amount = 100",
      /^settled amounts sum to 975, the account row has 75/,
    ],
    [
      'a pending refund that was marked as succeeded',
      "UPDATE transactions SET status = 'succeeded' WHERE account_id = $1 AND status = 'pending' AND type = 'refund'",
      /^settled amounts sum to 55, the account row has 75/,
    ],
    [
      'swapped amounts of two settled transactions',
      "UPDATE transactions SET amount = 105 - amount WHERE account_id = $1 AND type = 'credit' AND status = 'succeeded'",
      /^txn_\w+: posted 100 USD, recorded 5 USD$/,
    ],
    [
      'a settled transaction with the id of another',
      `UPDATE transactions SET status = CASE WHEN status = 'failed' THEN 'succeeded' ELSE 'failed' END,
         amount = CASE WHEN status = 'failed' THEN 5 ELSE amount END
       WHERE account_id = $1 AND type = 'credit' AND amount IN (1, 5)`,
      /^txn_\w+: posted, but not recorded as settled$/,
    ],
    [
      'a changed currency of a settled transaction',
      "UPDATE transactions SET currency = 'EUR' WHERE account_id = $1 AND amount = 100",
      /^txn_\w+: posted 100 USD, recorded 100 EUR$/,
    ],
    [
      'an amount above the largest',
      'UPDATE journal_entries SET amount = 9007199254740993 WHERE account_id = $1 AND number = 3',
      /^entry 3: its values are out of range$/,
    ],
    [
      'an infinite time',
      "UPDATE journal_entries SET posted_at = 'infinity' WHERE account_id = $1 AND number = 3",
      /^entry 3: its values are out of range$/,
    ],
    [
      'a changed refunded amount of a payment',
      "UPDATE transactions SET refunded = 1 WHERE account_id = $1 AND type = 'payment'",
      /^txn_\w+: the refunds that name it sum to 0, its row has 1$/,
    ],
  ])('%s', async (_, sql, fault) => {
    const { accountId } = await anAccountWithPostings();
    await anAccountWithPostings();
    const { faults: before } = await verify();
    await withoutTriggers(sql, [accountId]);
    const { faults } = await verify();
    const added = faults.filter((line) => !before.includes(line));
    expect(added).toEqual([expect.stringMatching(new RegExp(`^${accountId}: `))]);
    expect(added[0]!.slice(accountId.length + 2)).toMatch(fault);
  });

  describe('triggers of the journal', () => {
    const triggerFaults = async (): Promise<string[]> =>
      (await verify()).faults.filter((fault) => fault.startsWith('journal_entries'));
    const changed = (trigger: string): string =>
      `journal_entries: the trigger ${trigger} is missing, disabled or changed`;
    afterEach(async () => expect(await triggerFaults()).toEqual([]));

    it('that are disabled', async () => {
      await withoutTriggers('ALTER TABLE journal_entries DISABLE TRIGGER journal_append_only', []);
      expect(await triggerFaults()).toEqual([changed('journal_append_only')]);
      await withoutTriggers('ALTER TABLE journal_entries ENABLE TRIGGER journal_append_only', []);
    });

    it('whose function was emptied', async () => {
      const restore = await emptyFunction(service, 'journal_reject_unbalanced');
      const found = await triggerFaults();
      await restore();
      // On Citus, each shard has the trigger as well.
      expect(found).toContain(changed('journal_balanced'));
      expect(
        found.filter((fault) => !/^journal_entries\S*: the trigger journal_balanced/.test(fault)),
      ).toEqual([]);
    });
  });

  it('a deleted account that had only pending transactions', async () => {
    const owner = await anAccount(service.api);
    await created(owner.api, '/v1/transactions', aTransaction(owner.accountId));
    await anAccount(service.api);
    await withoutTriggers('DELETE FROM accounts WHERE id = $1', [owner.accountId]);
    expect((await verify()).faults).toContain(
      `${owner.accountId}: has held or posted amounts, but the account does not exist`,
    );
  });

  it('a forged journal with a recomputed chain and a matching account row', async () => {
    const { accountId } = await anAccountWithPostings();
    const entries = await service.sql<Record<string, string>>(
      'SELECT * FROM journal_entries WHERE account_id = $1 ORDER BY number',
      [accountId],
    );
    let before: Buffer | null = null;
    for (const row of entries) {
      const sign = row['leg'] === 'customer' ? 1 : -1;
      const amount = Number(row['amount']) + (Number(row['number']) <= 2 ? 900 * sign : 0);
      const balance = Number(row['balance']) + 900 * sign;
      const forged = {
        accountId,
        number: Number(row['number']),
        transactionId: row['transaction_id'],
        leg: row['leg'],
        amount,
        currency: 'USD',
        balance,
        postedAt: row['posted_at'] as unknown as Date,
      } as Omit<Entry, 'hash'>;
      before = hashEntry(forged, before);
      await withoutTriggers(
        'UPDATE journal_entries SET amount = $3, balance = $4, hash = $5 WHERE account_id = $1 AND number = $2',
        [accountId, row['number'], amount, balance, before],
      );
    }
    await withoutTriggers('UPDATE accounts SET posted = 975, chain_head = $2 WHERE id = $1', [
      accountId,
      before,
    ]);
    expect((await verify()).faults).toContain(
      `${accountId}: settled amounts sum to 75, the account row has 975`,
    );
  });
});

describe('A long journal', () => {
  it('is read in batches, and the progress is reported', async () => {
    const owner = await anAccount(service.api);
    await fill(owner.accountId, 6_000);
    const counts: number[] = [];
    const { entries, faults } = await verify((walked) => counts.push(walked));
    expect(faults.filter((line) => line.startsWith(owner.accountId))).toEqual([]);
    expect(entries).toBeGreaterThanOrEqual(12_000);
    expect(counts.length).toBeGreaterThan(2);
    expect(counts).toEqual(counts.toSorted((a, b) => a - b));
  });
});

/** Posts credits of 1 to an empty account in a few statements. */
async function fill(accountId: string, postings: number): Promise<void> {
  const entries: Entry[] = [];
  const at = new Date('2026-01-01T00:00:00.000Z');
  for (let posted = 1; posted <= postings; posted += 1) {
    const end = { entryCount: entries.length, chainHead: entries.at(-1)?.hash ?? null };
    const transactionId = newId('txn', at);
    const posting = {
      accountId,
      transactionId,
      direction: 'in',
      amount: 1,
      currency: 'USD',
      posted,
      at,
    } as const;
    entries.push(...createEntries(posting, end));
  }
  await service.sql(
    `INSERT INTO journal_entries (account_id, number, transaction_id, leg, amount, currency, balance, posted_at, hash)
     SELECT $1, n, t, l, a, 'USD', b, $2, h
     FROM unnest($3::bigint[], $4::text[], $5::text[], $6::bigint[], $7::bigint[], $8::bytea[]) AS entry (n, t, l, a, b, h)`,
    [
      accountId,
      at,
      ...(['number', 'transactionId', 'leg', 'amount', 'balance', 'hash'] as const).map((member) =>
        entries.map((entry) => entry[member]),
      ),
    ],
  );
  await service.sql(
    `INSERT INTO transactions (account_id, id, amount, currency, type, status, created_at, updated_at)
     SELECT $1, t, 1, 'USD', 'credit', 'succeeded', $2, $2 FROM unnest($3::text[]) AS t`,
    [
      accountId,
      at,
      entries.filter(({ leg }) => leg === 'customer').map(({ transactionId }) => transactionId),
    ],
  );
  await service.sql(
    'UPDATE accounts SET posted = $2, entry_count = $3, chain_head = $4, last_id_at = $5 WHERE id = $1',
    [accountId, postings, entries.length, entries.at(-1)!.hash, at],
  );
}
