import { TypeID } from 'typeid-js';
import { newId } from '../../../src/kernel/ids';
import { Api, Reply } from '../../support/api';
import { aTransaction } from '../../support/request-bodies';
import { anAccount, created, logIn, Owner, theAdmin } from '../../support/people';
import { TestService } from '../../support/service';
import { unrecordedChanges } from '../../support/unrecorded-changes';
import { AccountModel, Actor, Expected, ModelTransaction, Request } from './account.model';

/** The delay after which a payment settles by itself, in seconds. */
export const DELAY_SECONDS = 60;

interface Entry {
  readonly account_id: string;
  readonly transaction_id: string;
  readonly amount: string;
}

/** One account as its clients know it: its ids by index, and its last known state. */
interface Seen {
  owner: Owner;
  /** Ids and creation times, by index. */
  readonly made: { readonly id: string; readonly at: number }[];
  /** A digest of all rows of the account. */
  digest: string;
  /** Its journal entries, as first read. */
  readonly entries: string[];
}

/** Accounts of the real service, used over HTTP, and inspected over HTTP and in the database. */
export class World {
  private constructor(
    private readonly service: TestService,
    private readonly elsewhere: TestService,
    private readonly admin: Api,
    private readonly foreignPaymentId: string,
    private readonly accounts: Seen[],
  ) {}

  /** @param elsewhere the replica that gets the requests of the admin */
  static async with(service: TestService, elsewhere: TestService, count: number): Promise<World> {
    const admin = (await theAdmin(elsewhere.api)).api;
    const foreign = await anAccount(service.api);
    const script = { metadata: { sandbox_outcome: 'pending' } };
    const { id } = await created(foreign.api, '/v1/transactions', aTransaction(foreign.accountId, script));
    await admin.post(`/v1/transactions/${id}/settlement`, { outcome: 'succeeded' });
    const accounts: Seen[] = [];
    for (let index = 0; index < count; index += 1) {
      const owner = await anAccount(service.api);
      await created(owner.api, '/v1/api-keys', { name: 'revoked by the closing' });
      accounts.push({ owner, made: [], digest: '', entries: [] });
    }
    const world = new World(service, elsewhere, admin, id, accounts);
    await world.remember();
    return world;
  }

  /** Sends a request as the account's client would. The admin's idempotency keys are made unique by account. */
  send(index: number, request: Request): Promise<Reply> {
    const seen = this.accounts[index]!;
    const api = 'actor' in request && request.actor === 'owner' ? seen.owner.api : this.admin;
    const path = (place: number | null) =>
      `/v1/transactions/${place === null ? newId('txn', new Date()) : seen.made[place]!.id}`;
    switch (request.kind) {
      case 'create':
        return api.post('/v1/transactions', this.creation(seen, request), {
          headers:
            request.key === null ? {} : { 'idempotency-key': `${seen.owner.accountId} ${request.key}` },
        });
      case 'cancel':
        return api.delete(path(request.place));
      case 'settle':
        return api.post(`${path(request.place)}/settlement`, { outcome: request.outcome });
      case 'patch':
        return api.patch(path(request.place), request.body);
      case 'close':
        return api.delete(request.actor === 'owner' ? '/v1/account' : `/v1/accounts/${seen.owner.accountId}`);
      case 'status':
        return api.patch(`/v1/accounts/${seen.owner.accountId}`, { status: request.status });
    }
  }

  private creation(seen: Seen, { type, amount, currency, source, script }: Request & { kind: 'create' }) {
    return aTransaction(seen.owner.accountId, {
      type,
      amount,
      currency,
      ...(script !== null && { metadata: { sandbox_outcome: script } }),
      ...(source !== 'none' && { source_transaction_id: this.sourceId(seen, source) }),
    });
  }

  private sourceId({ made }: Seen, source: number | 'foreign' | null): string {
    if (source === 'foreign') return this.foreignPaymentId;
    return source === null ? newId('txn', new Date()) : made[source]!.id;
  }

  /** Records the response to a creation. */
  learn(index: number, reply: Reply): void {
    this.accounts[index]!.made.push({ id: reply.body.id, at: Date.parse(reply.body.created_at) });
  }

  /** @returns what differs from the expected response, or null */
  difference(
    index: number,
    request: Request,
    reply: Reply,
    expected: Expected,
    model: AccountModel,
  ): string | null {
    const actual = { status: reply.status, error: reply.body.error as string | undefined };
    if (actual.status !== expected.status || actual.error !== expected.error)
      return `${JSON.stringify(request)} returned ${reply.status} ${reply.text}, not ${JSON.stringify(expected)}`;
    if (expected.place === undefined) return null;
    if (expected.replayed !== undefined) {
      const replayed = reply.headers.get('idempotency-replayed') === 'true';
      if (replayed !== expected.replayed)
        return `${JSON.stringify(request)} was ${replayed ? '' : 'not '}replayed`;
    }
    const known = this.accounts[index]!.made[expected.place]?.id;
    if (known !== undefined && reply.body.id !== known)
      return `the response is about ${reply.body.id}, not ${known}`;
    const { status } = model.transactions[expected.place]!;
    // A replay shows the transaction as it was created.
    return expected.replayed || reply.body.status === status
      ? null
      : `${reply.body.id} is ${reply.body.status}, not ${status}`;
  }

  /** Logs the owner in again after a suspension, which ends all sessions. */
  async signInAgain(index: number): Promise<void> {
    const seen = this.accounts[index]!;
    const { status } = await seen.owner.api.get('/v1/account');
    if (status !== 401) throw new Error(`A suspended account's token is still good: ${status}`);
    seen.owner = { ...seen.owner, ...(await logIn(this.service.api, seen.owner.email)) };
  }

  /** Moves the clock and processes what is due. @returns the indexes of those transactions, by account */
  async runDueTasks(seconds: number, models: readonly AccountModel[]): Promise<number[][]> {
    const { clock } = this.service;
    const clocks = new Set([clock, this.elsewhere.clock]);
    const move = (by: number): void => clocks.forEach((one) => one.move({ seconds: by }));
    move(seconds);
    const waiting = () =>
      models.map((model, index) =>
        model.transactions.flatMap(({ status, dueOutcome }, place) => {
          const dueAt = this.accounts[index]!.made[place]!.at + DELAY_SECONDS * 1000;
          return status === 'pending' && dueOutcome !== null ? [{ place, dueAt }] : [];
        }),
      );
    // Nothing may become due while the tasks run, or the expected result would be unknown.
    const soon = () =>
      waiting()
        .flat()
        .some(({ dueAt }) => Math.abs(dueAt - clock.now().getTime()) < 3000);
    while (soon()) move(3);
    const now = clock.now().getTime();
    const due = waiting().map((places) =>
      places.filter(({ dueAt }) => dueAt <= now).map(({ place }) => place),
    );
    await this.service.runDueTasks();
    return due;
  }

  /**
   * Holds what can be seen of the accounts against the model.
   * @param about the accounts to look at over HTTP
   * @param changed those that may have changed at all; of the others everything must be stored as before
   * @throws Error naming the difference
   */
  async compare(
    models: readonly AccountModel[],
    about: readonly number[],
    changed: readonly number[],
  ): Promise<void> {
    for (const index of about) {
      const model = models[index]!;
      const [balance, transactions] = await this.look(index, model.status === 'closed' ? 'admin' : 'owner');
      same('the balance', balance, balanceOf(model));
      same('the list', transactions, this.listOf(index, model));
    }
    await this.compareStored(models, changed);
  }

  /** Compares the last event of each transaction with what the API shows, and the numbers of all events. */
  async compareEvents(): Promise<void> {
    same('what changed without an event', await unrecordedChanges(this.service), []);
    for (const { owner } of this.accounts) {
      const query = `account_id=${owner.accountId}&limit=100`;
      const { body } = await this.admin.get(`/v1/transactions?view=full&${query}`);
      const events = await this.service.sql<{ object: object }>(LAST_EVENTS, [owner.accountId]);
      const shown = (body.data as { id: string }[]).toSorted(({ id: a }, { id: b }) => (a < b ? -1 : 1));
      same(
        'the objects of the last events',
        events.map(({ object }) => object),
        shown,
      );
    }
  }

  private async look(index: number, actor: Actor): Promise<[object, object]> {
    const { owner } = this.accounts[index]!;
    const { accountId } = owner;
    const [balance, list] = await Promise.all(
      actor === 'owner'
        ? [owner.api.get('/v1/account/balance'), owner.api.get('/v1/transactions?limit=100')]
        : [
            this.admin.get(`/v1/accounts/${accountId}/balance`),
            this.admin.get(`/v1/transactions?limit=100&account_id=${accountId}`),
          ],
    );
    const { posted, held, available, pending_in } = balance.body;
    return [{ posted, held, available, pending_in }, list.body.data];
  }

  private listOf(index: number, { transactions }: AccountModel): object[] {
    const { owner, made } = this.accounts[index]!;
    return transactions
      .map(({ type, status, amount }, place) => ({
        id: made[place]!.id,
        account_id: owner.accountId,
        amount,
        currency: 'USD',
        type,
        status,
        created_at: new Date(made[place]!.at).toISOString(),
      }))
      .toReversed();
  }

  private async compareStored(models: readonly AccountModel[], changed: readonly number[]): Promise<void> {
    const before = this.accounts.map(({ digest }) => digest);
    await this.remember();
    for (const [index, { digest, entries, owner }] of this.accounts.entries()) {
      if (!changed.includes(index)) same(`what is stored of account ${index}`, digest, before[index]);
      const lines = entries.map((line) => JSON.parse(line) as Entry & { leg: string });
      const customer = lines.filter(({ leg }) => leg === 'customer');
      same(`the entries of ${owner.accountId}`, total(customer), models[index]!.posted);
      same(`all legs of ${owner.accountId}`, total(lines), 0);
      const { transactions } = models[index]!;
      const settled = transactions.filter(({ status }) => status === 'succeeded').map(signed);
      same(
        'the postings',
        customer.map(({ amount }) => Number(amount)).toSorted(order),
        settled.toSorted(order),
      );
    }
    for (const { made } of this.accounts) {
      const numbers = made.map(({ id }) => issueNumberOf(id));
      const repeated = numbers.findIndex((number, place) => place > 0 && number <= numbers[place - 1]!);
      if (repeated > 0) throw new Error(`${made[repeated]!.id} has the number of an earlier id`);
    }
    const rows = await this.annotations();
    for (const [index, { transactions }] of models.entries()) {
      const expected = transactions.map(({ reference, metadata, refunded }) => ({
        reference,
        metadata,
        refunded,
      }));
      same('annotations and what is refunded', rows[index], expected);
    }
  }

  /** Reads all rows of every account. Earlier journal entries must be unchanged. */
  private async remember(): Promise<void> {
    const ids = this.accounts.map(({ owner }) => owner.accountId);
    const digests: { id: string; digest: string | null }[] = [];
    for (const sql of [ROWS, RESPONSES])
      digests.push(...(await this.service.sql<(typeof digests)[0]>(sql, [ids])));
    const entries = await this.service.sql<Entry>(
      'SELECT * FROM journal_entries WHERE account_id = ANY ($1) ORDER BY account_id, number',
      [ids],
    );
    for (const seen of this.accounts) {
      const { accountId } = seen.owner;
      seen.digest = digests
        .filter(({ id }) => id === accountId)
        .map(({ digest }) => digest)
        .join(' ');
      const lines = entries
        .filter(({ account_id }) => account_id === accountId)
        .map((row) => JSON.stringify(row));
      same('the entries that stood there', lines.slice(0, seen.entries.length), seen.entries);
      seen.entries.push(...lines.slice(seen.entries.length));
    }
  }

  private async annotations(): Promise<object[][]> {
    const rows = await this.service.sql<{
      id: string;
      reference: string | null;
      metadata: object;
      refunded: string;
    }>('SELECT id, reference, metadata, refunded FROM transactions WHERE account_id = ANY ($1)', [
      this.accounts.map(({ owner }) => owner.accountId),
    ]);
    return this.accounts.map(({ made }) =>
      made.map(({ id }) => {
        const { reference, metadata, refunded } = rows.find((row) => row.id === id)!;
        return { reference, metadata, refunded: Number(refunded) };
      }),
    );
  }
}

/** The last event of each transaction of an account. */
const LAST_EVENTS = `
  SELECT DISTINCT ON (object_id) object FROM events WHERE account_id = $1 AND type LIKE 'transaction.%'
  ORDER BY object_id, sequence DESC`;

/** All rows of an account. */
const ROWS = `
  SELECT a.id, md5(concat(a,
    (SELECT string_agg(t::text, ' ' ORDER BY t.id) FROM transactions t WHERE t.account_id = a.id),
    (SELECT string_agg(j::text, ' ' ORDER BY j.number) FROM journal_entries j WHERE j.account_id = a.id)
  )) AS digest
  FROM accounts a WHERE a.id = ANY ($1)`;

/** The responses about an account. */
const RESPONSES = `
  SELECT id, md5(string_agg(r::text, ' ' ORDER BY r.principal, r.key)) AS digest
  FROM unnest($1::text[]) AS id LEFT JOIN (
    SELECT principal, key, fingerprint, response, created_at FROM account_idempotency_records
    UNION ALL SELECT principal, key, fingerprint, response, created_at FROM idempotency_records) r ON strpos(r.response, id) > 0 GROUP BY id`;

/** The part of an id that its account issues in order: the millisecond and the number in it, without random bits. */
function issueNumberOf(id: string): bigint {
  return BigInt(`0x${TypeID.fromString(id).toUUID().replaceAll('-', '')}`) >> 42n;
}

function balanceOf({ posted, held, available, pendingIn }: AccountModel): object {
  return { posted, held, available, pending_in: pendingIn };
}

function signed({ type, amount }: ModelTransaction): number {
  return type === 'refund' ? -amount : amount;
}

function total(entries: readonly Entry[]): number {
  return Number(entries.reduce((sum, { amount }) => sum + BigInt(amount), 0n));
}

function order(a: number, b: number): number {
  return a - b;
}

/** @throws Error, which fast-check reports with the history that led to it */
function same(what: string, actual: unknown, expected: unknown): void {
  const [a, b] = [canonical(actual), canonical(expected)];
  if (a !== b) throw new Error(`${what}: is ${a}, should be ${b}`);
}

/** jsonb does not keep the order of keys. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, member: unknown) =>
    typeof member === 'object' && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  );
}
