// Nest, Passport, class-validator and TypeORM as their guides use them: a credit in a database transaction of entities
// that are saved one by one, the reads, and a login that compares the password on the main thread. Nest runs on Fastify,
// as the service does. Node.js has no decorators, so `decorate` applies them.
import 'reflect-metadata';
import { randomUUID } from 'node:crypto';
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
const { Body, Controller, Get, HttpCode, Module, Param, Post, Request, UseGuards, ValidationPipe } =
  await import('@nestjs/common');
const { NestFactory } = await import('@nestjs/core');
const { FastifyAdapter } = await import('@nestjs/platform-fastify');
const { AuthGuard, PassportModule, PassportStrategy } = await import('@nestjs/passport');
const { ExtractJwt, Strategy } = require('passport-jwt');
const { IsIn, IsInt, IsOptional, IsPositive, IsString, Length } = require('class-validator');
const { DataSource, EntitySchema } = require('typeorm');
const { default: bcrypt } = await import('bcryptjs');

const text = { type: 'text' };
const time = { type: 'timestamptz' };
const bigint = { type: 'bigint', transformer: { from: Number, to: (value) => value } };
const key = (column) => ({ ...column, primary: true });
const named = (name, column) => ({ ...column, name });

const Session = new EntitySchema({
  name: 'Session',
  tableName: 'sessions',
  columns: {
    id: key(text),
    accountId: named('account_id', text),
    expiresAt: named('expires_at', time),
    endedAt: named('ended_at', { ...time, nullable: true }),
  },
});

const Account = new EntitySchema({
  name: 'Account',
  tableName: 'accounts',
  columns: {
    id: key(text),
    currency: text,
    posted: bigint,
    held: bigint,
    pendingIn: named('pending_in', bigint),
    entryCount: named('entry_count', bigint),
    lastIdAt: named('last_id_at', { ...time, nullable: true }),
    updatedAt: named('updated_at', time),
  },
});

const Transaction = new EntitySchema({
  name: 'Transaction',
  tableName: 'transactions',
  columns: {
    accountId: named('account_id', key(text)),
    id: key(text),
    amount: bigint,
    currency: text,
    type: text,
    status: text,
    reference: text,
    metadata: { type: 'jsonb' },
    createdAt: named('created_at', time),
    updatedAt: named('updated_at', time),
  },
});

const Entry = new EntitySchema({
  name: 'Entry',
  tableName: 'journal_entries',
  columns: {
    accountId: named('account_id', key(text)),
    number: key(bigint),
    transactionId: named('transaction_id', text),
    leg: text,
    amount: bigint,
    currency: text,
    balance: bigint,
    postedAt: named('posted_at', time),
    hash: { type: 'bytea' },
  },
});

const Credential = new EntitySchema({
  name: 'Credential',
  tableName: 'credentials',
  columns: {
    kind: key(text),
    emailKey: named('email_key', key(text)),
    passwordHash: named('password_hash', text),
  },
});

const database = await new DataSource({
  type: 'postgres',
  url: process.env.DATABASE_URL,
  poolSize: 10,
  entities: [Session, Account, Transaction, Entry, Credential],
}).initialize();
const [sessions, accounts, transactions, credentials] = [Session, Account, Transaction, Credential].map(
  (entity) => database.getRepository(entity),
);

/** Applies decorators to a class, or to a method of it. */
function decorate(target, decorators, method) {
  const [owner, ...rest] = method === undefined ? [target] : [target.prototype, method];
  const descriptor = method === undefined ? [] : [Object.getOwnPropertyDescriptor(owner, method)];
  Reflect.decorate(decorators, owner, ...rest, ...descriptor);
}

class CreateTransaction {}
const constraints = {
  account_id: [IsString()],
  amount: [IsInt(), IsPositive()],
  currency: [Length(3, 3)],
  type: [IsIn(['credit'])],
  reference: [IsOptional(), IsString()],
};
for (const [member, decorators] of Object.entries(constraints))
  for (const constrain of decorators) constrain(CreateTransaction.prototype, member);

class JwtStrategy extends PassportStrategy(Strategy) {
  constructor() {
    super({
      jwtFromRequest: ExtractJwt.fromAuthHeaderAsBearerToken(),
      secretOrKey: process.env.JWT_SECRETS,
    });
  }

  /** @returns the live session of the token, or null */
  async validate({ sid }) {
    const session = await sessions.findOneBy({ id: sid });
    return session !== null && session.endedAt === null && session.expiresAt > new Date() ? session : null;
  }
}

class TransactionsController {
  create({ user: { accountId } }, { amount, currency, type, reference }) {
    return database.transaction(async (manager) => {
      const account = await manager.findOneOrFail(Account, {
        where: { id: accountId },
        lock: { mode: 'pessimistic_write' },
      });
      const now = new Date();
      const id = `txn_${randomUUID()}`;
      const transaction = await manager.save(Transaction, {
        accountId,
        id,
        amount,
        currency,
        type,
        status: 'succeeded',
        reference,
        metadata: {},
        createdAt: now,
        updatedAt: now,
      });
      account.posted += amount;
      const entry = { accountId, transactionId: id, currency, postedAt: now, hash: Buffer.alloc(1) };
      const { posted, entryCount } = account;
      await manager.save(Entry, [
        { ...entry, number: entryCount + 1, leg: 'customer', amount, balance: posted },
        { ...entry, number: entryCount + 2, leg: 'clearing', amount: -amount, balance: -posted },
      ]);
      Object.assign(account, { entryCount: entryCount + 2, lastIdAt: now, updatedAt: now });
      await manager.save(Account, account);
      return transaction;
    });
  }

  get({ user: { accountId } }, id) {
    return transactions.findOneByOrFail({ accountId, id });
  }

  async list({ user: { accountId } }) {
    const rows = await transactions.find({ where: { accountId }, order: { id: 'DESC' }, take: 21 });
    return { object: 'list', data: rows.slice(0, 20), has_more: rows.length > 20 };
  }
}
const guarded = UseGuards(AuthGuard('jwt'));
decorate(TransactionsController, [Controller('v1/transactions'), guarded]);
decorate(TransactionsController, [Post()], 'create');
decorate(TransactionsController, [Get(':id')], 'get');
decorate(TransactionsController, [Get()], 'list');
for (const method of ['create', 'get', 'list']) Request()(TransactionsController.prototype, method, 0);
Body()(TransactionsController.prototype, 'create', 1);
Param('id')(TransactionsController.prototype, 'get', 1);
Reflect.defineMetadata(
  'design:paramtypes',
  [Object, CreateTransaction],
  TransactionsController.prototype,
  'create',
);

class AccountController {
  async balance({ user: { accountId } }) {
    const { id, currency, posted, held, pendingIn } = await accounts.findOneByOrFail({ id: accountId });
    const as_of = new Date();
    return { account_id: id, currency, posted, held, available: posted - held, pending_in: pendingIn, as_of };
  }
}
decorate(AccountController, [Controller('v1/account'), guarded]);
decorate(AccountController, [Get('balance')], 'balance');
Request()(AccountController.prototype, 'balance', 0);

class LoginController {
  async logIn({ email, password }) {
    const { passwordHash } = await credentials.findOneByOrFail({ kind: 'account', emailKey: email });
    return { matches: await bcrypt.compare(password, passwordHash) };
  }
}
decorate(LoginController, [Controller('v1/auth')]);
decorate(LoginController, [Post('login'), HttpCode(200)], 'logIn');
Body()(LoginController.prototype, 'logIn', 0);

class HealthController {
  ready() {
    return { status: 'ok' };
  }
}
decorate(HealthController, [Controller('health')]);
decorate(HealthController, [Get('ready')], 'ready');

class AppModule {}
const controllers = [TransactionsController, AccountController, LoginController, HealthController];
decorate(AppModule, [Module({ imports: [PassportModule], providers: [JwtStrategy], controllers })]);

const app = await NestFactory.create(AppModule, new FastifyAdapter(), { logger: false });
app.useGlobalPipes(new ValidationPipe({ whitelist: true, transform: true }));
await app.listen(Number(process.env.PORT), 'localhost');
process.on('SIGTERM', () => process.exit(0));
