// Fastify and pg without anything else: the reads of the service's operations, prepared, with the signature of the token
// and the session checked; and a login that compares the password on the main thread.
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
  credential: "SELECT * FROM credentials WHERE kind = 'account' AND email_key = $1",
};

const read = async (name, ...values) => (await pool.query({ name, text: sql[name], values })).rows;

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
