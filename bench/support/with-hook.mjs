// The service with a hook: it reads and adds to a sum per account and day, like the daily limit of docs/extending.md.
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
require('reflect-metadata');
const { Module } = require('@nestjs/common');
const { defineService } = require('../../dist/src/service/define-service.js');
const { TransactionHooks } = require('../../dist/src/modules/transactions/index.js');
const { TransactionsModule } = require('../../dist/src/modules/transactions/transactions.module.js');

const LIMIT = Number.MAX_SAFE_INTEGER;

const sums = {
  name: 'daily sums',
  async before(tx, _transition, { accountId, amount }, now) {
    const sql = 'SELECT amount FROM bench_sums WHERE account_id = $1 AND day = $2';
    const [row] = await tx.read(sql, [accountId, dayOf(now)]);
    if (Number(row?.amount ?? 0) + amount > LIMIT) throw new Error('The limit is exceeded.');
  },
  after(tx, _transition, { accountId, amount }, now) {
    const sql = `INSERT INTO bench_sums (account_id, day, amount) VALUES ($1, $2, $3)
                 ON CONFLICT (account_id, day) DO UPDATE SET amount = bench_sums.amount + excluded.amount`;
    tx.enqueue(sql, [accountId, dayOf(now), amount]);
  },
};

function dayOf(date) {
  return date.toISOString().slice(0, 10);
}

class SumsModule {
  constructor(hooks) {
    this.hooks = hooks;
  }

  onModuleInit() {
    this.hooks.register(sums);
  }
}
Reflect.defineMetadata('design:paramtypes', [TransactionHooks], SumsModule);
Module({ imports: [TransactionsModule] })(SumsModule);

await defineService({ extensions: [{ module: SumsModule }] }).main(['start']);
