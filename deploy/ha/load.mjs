// Clients of the service that create transactions and repeat each until it is acknowledged.
import { setTimeout as delay } from 'node:timers/promises';
import { Accounting } from './accounting.mjs';

const CLIENTS = 8;
const ACCOUNTS = 16;
const RETRY_MS = 50;

/** @returns the status and the text of the response, or null and '' without a complete one */
async function post(url, path, body, headers = {}) {
  try {
    const response = await fetch(`${url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
    return { status: response.status, text: await response.text() };
  } catch {
    return { status: null, text: '' };
  }
}

export class Load {
  accounting = new Accounting();
  /** When the last acknowledged request was sent. */
  lastSentAtMs = 0;
  keys = 0;
  clients = [];

  /** Creates the accounts and logs in. */
  static async prepare(url, admin) {
    const load = new Load();
    load.url = url;
    const read = async (path, body) => JSON.parse((await post(url, path, body)).text);
    load.accounts = [];
    for (let index = 0; index < ACCOUNTS; index += 1) {
      const account = { ...admin, email: `ha-${index}@example.com`, name: 'HA', type: 'business' };
      load.accounts.push((await read('/v1/accounts', account)).id);
    }
    load.token = (await read('/v1/auth/login', admin)).access_token;
    return load;
  }

  start() {
    this.running = true;
    this.clients = Array.from({ length: CLIENTS }, () => this.work());
  }

  /** Waits until everything that was sent is acknowledged. */
  async stop() {
    this.running = false;
    await Promise.all(this.clients);
  }

  /** Repeats every creation once more: the response must be the same. */
  async repeatAll() {
    const keys = [...this.accounting.acknowledged.keys()];
    const work = async () => {
      for (let key = keys.pop(); key !== undefined; key = keys.pop()) await this.create(key);
    };
    await Promise.all(Array.from({ length: CLIENTS }, work));
  }

  async work() {
    while (this.running) {
      const key = `key-${(this.keys += 1)}`;
      this.accounting.open.add(key);
      for (;;) {
        const sentAtMs = performance.now();
        const acknowledged = (await this.create(key)) === 201;
        if (acknowledged) this.lastSentAtMs = Math.max(this.lastSentAtMs, sentAtMs);
        if (acknowledged || this.accounting.unexpected.length > 0) break;
        await delay(RETRY_MS);
      }
    }
  }

  /** @returns the status of the response, or null */
  async create(key) {
    const account_id = this.accounts[Number(key.slice('key-'.length)) % ACCOUNTS];
    const body = { account_id, amount: 100, currency: 'USD', type: 'credit', reference: key };
    const headers = { authorization: `Bearer ${this.token}`, 'idempotency-key': key };
    const { status, text } = await post(this.url, '/v1/transactions', body, headers);
    this.accounting.record(key, status, text);
    return status;
  }
}
