// Fastify and pg without anything else: the reads of the service's operations and the statements of a credit one by one,
// prepared, with the signature of the token and the session checked; and a login that compares the password on the main
// thread.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
const { default: Fastify } = await import('fastify');
const { default: bcrypt } = await import('bcryptjs');
const { Pool } = require('pg');

const pool = new Pool({ connectionString: process.env.DATABASE_URL, max: 10 });
const app = Fastify();

const sql = {
  session: 'SELECT * FROM sessions WHERE id = $1',
  transaction: 'SELECT * FROM transactions WHERE account_id = $1 AND id = $2',
  account: 'SELECT * FROM accounts WHERE id = $1',
  list: 'SELECT * FROM transactions WHERE account_id = $1 ORDER BY id DESC LIMIT 21',
  lock: 'SELECT posted, entry_count FROM accounts WHERE id = $1 FOR UPDATE',
  insert: `INSERT INTO transactions
             (account_id, id, amount, currency, type, status, reference, metadata, created_at, updated_at)
           VALUES ($1, 'txn_' || lpad(nextval('bench_ids')::text, 26, '0'), $2, $3, $4, 'succeeded', $5, '{}', now(), now())
           RETURNING *`,
  post: `INSERT INTO journal_entries
           (account_id, number, transaction_id, leg, amount, currency, balance, posted_at, hash)
         VALUES ($1, $2::bigint + 1, $3, 'customer', $4, $5, $6, now(), '\\x00'),
                ($1, $2::bigint + 2, $3, 'clearing', -$4::bigint, $5, -$6::bigint, now(), '\\x00')`,
  save: `UPDATE accounts
         SET posted = $2, entry_count = entry_count + 2, last_id_at = now(), updated_at = now() WHERE id = $1`,
  credential: "SELECT * FROM credentials WHERE kind = 'account' AND email_key = $1",
};

const read = async (name, ...values) => (await pool.query({ name, text: sql[name], values })).rows;

/** Runs the statements of a credit in one database transaction. @returns the row of the transaction */
async function credit({ account_id, amount, currency, type, reference }) {
  const client = await pool.connect();
  const run = async (name, ...values) => (await client.query({ name, text: sql[name], values })).rows[0];
  try {
    await client.query('BEGIN');
    const { posted, entry_count } = await run('lock', account_id);
    const balance = Number(posted) + amount;
    const row = await run('insert', account_id, amount, currency, type, reference);
    await run('post', account_id, entry_count, row.id, amount, currency, balance);
    await run('save', account_id, balance);
    await client.query('COMMIT');
    return row;
  } finally {
    client.release();
  }
}

/** @returns the live session of the request's token; throws without one */
async function sessionOf({ headers }) {
  const [head, payload, signature] = headers.authorization.slice('Bearer '.length).split('.');
  const expected = createHmac('sha256', process.env.JWT_SECRETS).update(`${head}.${payload}`).digest();
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString());
  const now = Date.now();
  if (!timingSafeEqual(expected, Buffer.from(signature, 'base64url')) || now >= claims.exp * 1000) {
    throw new Error('unauthorized');
  }
  const [session] = await read('session', claims.sid);
  if (!session || session.ended_at !== null || now >= session.expires_at) throw new Error('unauthorized');
  return session;
}

const item = ({ id, account_id, amount, currency, type, status, created_at }) => ({
  id,
  account_id,
  amount: Number(amount),
  currency,
  type,
  status,
  created_at,
});

app.get('/health/ready', async () => ({ status: 'ok' }));

app.get('/v1/transactions/:id', async (request) => {
  const { account_id } = await sessionOf(request);
  const [row] = await read('transaction', account_id, request.params.id);
  return { ...item(row), reference: row.reference, metadata: row.metadata, updated_at: row.updated_at };
});

app.post('/v1/transactions', async (request, reply) => {
  const { account_id } = await sessionOf(request);
  const row = await credit({ ...request.body, account_id });
  return reply.code(201).send({ ...item(row), reference: row.reference, metadata: row.metadata });
});

app.get('/v1/transactions', async (request) => {
  const { account_id } = await sessionOf(request);
  const rows = await read('list', account_id);
  return { object: 'list', data: rows.slice(0, 20).map(item), has_more: rows.length > 20 };
});

app.get('/v1/account/balance', async (request) => {
  const [row] = await read('account', (await sessionOf(request)).account_id);
  const [posted, held, pending_in] = [row.posted, row.held, row.pending_in].map(Number);
  const { id: account_id, currency } = row;
  return { account_id, currency, posted, held, available: posted - held, pending_in, as_of: new Date() };
});

app.post('/v1/auth/login', async ({ body: { email, password } }, reply) => {
  const [{ password_hash }] = await read('credential', email);
  return reply.code(bcrypt.compareSync(password, password_hash) ? 200 : 401).send({ email });
});

await app.listen({ port: Number(process.env.PORT), host: 'localhost' });
process.on('SIGTERM', () => process.exit(0));
