import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { root, Server } from '../support/processes.mjs';

const require = createRequire(import.meta.url);
const ADMIN = { email: 'admin@example.com', password: 'benchmarks need one too' };

/** A service on a database with a number of transactions. */
export class FilledService {
  static started = 0;

  /**
   * @param context that of onBenchmarkDatabase
   * @param size the number of transactions
   * @param accounts the number of accounts, and of users
   * @param days over which the transactions are spread
   */
  static async start({ client, url, settings }, size, accounts = size / 100, days = 365) {
    const { Client } = require('pg');
    const filled = new FilledService();
    const number = FilledService.started++;
    const name = `growth_${number}`;
    await client.query(`CREATE DATABASE ${name}`);
    const databaseUrl = url.replace(/^(postgres(?:ql)?:\/\/[^/]*\/)[^?]*/, `$1${name}`);
    const env = { ...settings, DATABASE_URL: databaseUrl, RUN_WORKER: 'false' };
    filled.server = await Server.start(join(root, 'scripts', 'start.mjs'), {
      ...env,
      ADMIN_EMAIL: ADMIN.email,
      ADMIN_PASSWORD: ADMIN.password,
    });
    filled.client = new Client({
      connectionString: databaseUrl,
      options: '-c random_page_cost=1 -c enable_incremental_sort=off',
    });
    filled.client.on('error', () => undefined); // the statement in progress reports the failure
    await filled.client.connect();
    await filled.fill(size, accounts, days);
    const login = { method: 'POST', path: '/v1/auth/login', body: ADMIN };
    filled.token = JSON.parse(await filled.send(login)).access_token;
    return filled;
  }

  async fill(size, accounts, days) {
    const begun = performance.now();
    const { foldListCounts } = require('../../dist/src/platform/database/lists/list-counts.js');
    await this.client.query(
      `SET growth.transactions = ${size}; SET growth.accounts = ${accounts}; SET growth.days = ${days}`,
    );
    await this.withoutIndexes(async () => {
      for (const file of ['fill.sql', 'journal.sql'])
        await this.client.query(readFileSync(new URL(file, import.meta.url), 'utf8'));
    });
    const database = { query: async (sql, params) => (await this.client.query(sql, params)).rows };
    while (await foldListCounts(database));
    await this.client.query('VACUUM (ANALYZE)');
    const seconds = ((performance.now() - begun) / 1000).toFixed(0);
    const { rows } = await this.client.query(
      'SELECT pg_size_pretty(pg_database_size(current_database())) AS size',
    );
    console.error(`${size} transactions and ${accounts} accounts filled in ${seconds} s, ${rows[0].size}`);
  }

  /** To build an index from all rows takes a small part of the time that its maintenance row by row takes. */
  async withoutIndexes(work) {
    const { rows } = await this.client.query(
      `SELECT indexrelid::regclass AS name, pg_get_indexdef(indexrelid) AS definition
       FROM pg_index JOIN pg_stat_user_tables ON relid = indrelid WHERE NOT indisunique`,
    );
    await this.client.query(`DROP INDEX ${rows.map(({ name }) => name).join(', ')}`);
    await work();
    await this.client.query(`SET maintenance_work_mem = '1GB'`);
    for (const { definition } of rows) await this.client.query(definition);
  }

  /** Sends a request on a connection that is open: the service closes those that nobody has used for a minute. */
  send(request) {
    const [connection] = this.server.connections(1);
    return connection.send({ ...request, token: this.token });
  }

  /** The number of rows of a page list, which is not the same at all sizes. */
  async totalOf({ total }) {
    if (total === undefined) return 0;
    const { pagination } = JSON.parse(await this.send(total(this.facts)));
    return pagination.total ?? pagination.total_records;
  }

  /** @returns the time of the fastest of some requests in milliseconds: other load only ever adds to it */
  async measure(operation, total, count) {
    const times = [];
    for (let call = 0; call < count; call += 1) {
      const request = operation.request(this.facts, total);
      const begun = performance.now();
      await this.send(request);
      times.push(performance.now() - begun);
    }
    return Math.min(...times);
  }
}
