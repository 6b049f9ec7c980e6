import { randomUUID } from 'node:crypto';

const ADMIN = { email: 'admin@example.com', password: 'benchmarks need one too' };
const PASSWORD = ADMIN.password;

/** The settings that all servers share. Password hashes cost little where they are not measured. */
export const sharedSettings = {
  NODE_ENV: 'development',
  BCRYPT_COST: '4',
  ACCESS_TOKEN_TTL: '86400',
  SETTLEMENT_DELAY_SECONDS: '86400',
  SIGN_UP_LIMIT: '0',
  ADMIN_EMAIL: ADMIN.email,
  ADMIN_PASSWORD: ADMIN.password,
};

/** Tables of the rivals and of the hook. */
const TABLES = `
  CREATE SEQUENCE bench_ids;
  CREATE TABLE bench_accounts (n int PRIMARY KEY, id text NOT NULL);
  CREATE TABLE bench_due (n bigserial PRIMARY KEY, account_id text NOT NULL, id text NOT NULL);
  CREATE SEQUENCE bench_next_due;
  CREATE TABLE bench_sums (account_id text, day date, amount bigint NOT NULL, PRIMARY KEY (account_id, day));

  -- What credit.sql does with seven statements, for several accounts with one.
  CREATE FUNCTION bench_credit(ids text[]) RETURNS void BEGIN ATOMIC
    WITH locked AS (SELECT id, posted + 100 AS posted, entry_count FROM accounts WHERE id = ANY (ids) ORDER BY id FOR UPDATE),
    credited AS (SELECT *, 'txn_' || lpad(nextval('bench_ids')::text, 26, '0') AS transaction_id FROM locked),
    transaction AS (INSERT INTO transactions (account_id, id, amount, currency, type, status, reference, metadata, created_at, updated_at)
      SELECT id, transaction_id, 100, 'USD', 'credit', 'succeeded', 'bench', '{}', now(), now() FROM credited),
    entries AS (INSERT INTO journal_entries (account_id, number, transaction_id, leg, amount, currency, balance, posted_at, hash)
      SELECT id, entry_count + number, transaction_id, leg, sign * 100, 'USD', sign * posted, now(), '\\x00'
      FROM credited, (VALUES (1, 'customer', 1), (2, 'clearing', -1)) AS legs (number, leg, sign))
    UPDATE accounts SET posted = credited.posted, entry_count = accounts.entry_count + 2, last_id_at = now(), updated_at = now()
      FROM credited WHERE accounts.id = credited.id;
  END;
`;

const any = (items) => items[Math.floor(Math.random() * items.length)];

/** The accounts of a benchmark, each with a token and with more transactions than a page has. */
export class Fixture {
  static TRANSACTIONS = 25;

  /** @param accounts how many @param readers how many of them have transactions to read */
  static async create(server, client, { accounts, readers }) {
    await client.query(TABLES);
    const fixture = new Fixture();
    const connections = server.connections(32);
    const indexes = Array.from({ length: accounts }, (_, index) => index);
    const parse = async (connection, request) => JSON.parse(await connection.send(request));
    const adminLogin = { method: 'POST', path: '/v1/auth/login', body: ADMIN };
    fixture.adminToken = (await parse(connections[0], adminLogin)).access_token;
    const work = async (connection) => {
      for (let index = indexes.shift(); index !== undefined; index = indexes.shift()) {
        const email = `bench-${index}@example.com`;
        const body = { email, name: 'Bench', type: 'business', password: PASSWORD };
        const { id } = await parse(connection, { method: 'POST', path: '/v1/accounts', body });
        const login = { method: 'POST', path: '/v1/auth/login', body: { email, password: PASSWORD } };
        const { access_token: token } = await parse(connection, login);
        fixture.accounts.push({ id, token, email, transactions: [] });
      }
    };
    await Promise.all(connections.map(work));
    fixture.readers = fixture.accounts.slice(0, readers);
    const read = fixture.readers.flatMap((account) => Array(Fixture.TRANSACTIONS).fill(account));
    const fill = async (connection) => {
      for (let account = read.pop(); account !== undefined; account = read.pop()) {
        account.transactions.push((await parse(connection, credit(account))).id);
      }
    };
    await Promise.all(connections.map(fill));
    await client.query('UPDATE accounts SET posted = 1000000000'); // for transfers
    await client.query('INSERT INTO bench_accounts SELECT row_number() OVER (ORDER BY id), id FROM accounts');
    await client.query('VACUUM ANALYZE');
    return fixture;
  }

  accounts = [];
  adminToken;

  /** Requests by random accounts, each with its own token. */
  requests = {
    credit: () => credit(any(this.accounts)),
    creditByAdmin: () => ({ ...credit(any(this.accounts)), token: this.adminToken }),
    creditWithKey: () => ({ ...credit(any(this.accounts)), key: randomUUID() }),
    payment: () => payment(any(this.accounts)),
    creditToOneAccount: () => credit(this.accounts[0]),
    transfer: () => {
      const [count, index] = [this.accounts.length, Math.floor(Math.random() * this.accounts.length)];
      const steps = 1 + Math.floor(Math.random() * (count - 1));
      return transfer(this.accounts[index], this.accounts[(index + steps) % count]);
    },
    transferToOneAccount: () => transfer(any(this.accounts.slice(1)), this.accounts[0]),
    atomicBatch: () => batch(any(this.accounts), 'atomic'),
    independentBatch: () => batch(any(this.accounts), 'independent'),
    getOne: () => {
      const { transactions, token } = any(this.readers);
      return { method: 'GET', path: `/v1/transactions/${any(transactions)}`, token };
    },
    getOneByKey: () => {
      const { transactions, apiKey: token } = any(this.readers);
      return { method: 'GET', path: `/v1/transactions/${any(transactions)}`, token };
    },
    getBalance: () => ({ method: 'GET', path: '/v1/account/balance', token: any(this.readers).token }),
    list: () => ({ method: 'GET', path: '/v1/transactions', token: any(this.readers).token }),
    logIn: () => ({
      method: 'POST',
      path: '/v1/auth/login',
      body: { email: any(this.readers).email, password: PASSWORD },
    }),
  };

  /** Replaces the password hashes of the readers by those of the cost that is measured. */
  async hashWithCost(client, cost, hashSync) {
    const hash = hashSync(PASSWORD, cost);
    const ids = this.readers.map(({ id }) => id);
    await client.query('UPDATE credentials SET password_hash = $1 WHERE subject_id = ANY($2)', [hash, ids]);
  }

  /** Creates an API key for each reader. */
  async createApiKeys(server) {
    const [connection] = server.connections(1);
    for (const reader of this.readers) {
      const request = { method: 'POST', path: '/v1/api-keys', body: { name: 'Bench' }, token: reader.token };
      reader.apiKey = JSON.parse(await connection.send(request)).key;
    }
  }

  /** Creates payments that stay pending, spread over accounts, and lists them in the table `bench_due`. */
  async createPending(server, client, count, accounts) {
    const bodies = Array.from({ length: count }, (_, index) => this.accounts[index % accounts]);
    const work = async (connection) => {
      for (let account = bodies.pop(); account !== undefined; account = bodies.pop()) {
        await connection.send(payment(account));
      }
    };
    await Promise.all(server.connections(32).map(work));
    await client.query(`TRUNCATE bench_due RESTART IDENTITY; ALTER SEQUENCE bench_next_due RESTART;
      INSERT INTO bench_due (account_id, id) SELECT account_id, id FROM transactions WHERE status = 'pending' ORDER BY id`);
  }
}

/** Fifty credits of one account. */
function batch(account, mode) {
  const { body, token, method } = credit(account);
  return {
    method,
    path: '/v1/transactions/batch',
    token,
    body: { mode, transactions: Array(50).fill(body) },
  };
}

function transfer(giver, to) {
  const body = {
    from_account_id: giver.id,
    to_account_id: to.id,
    amount: 1,
    currency: 'USD',
    reference: 'bench',
  };
  return { method: 'POST', path: '/v1/transfers', body, token: giver.token };
}

/** Stays pending. */
function payment(account) {
  const request = credit(account);
  return { ...request, body: { ...request.body, type: 'payment' } };
}

function credit({ id, token }) {
  const body = { account_id: id, amount: 100, currency: 'USD', type: 'credit', reference: 'bench' };
  return { method: 'POST', path: '/v1/transactions', body, token };
}
