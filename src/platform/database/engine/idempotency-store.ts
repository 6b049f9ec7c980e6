import { createHmac } from 'node:crypto';
import { DAY_MS } from '../../../kernel/clock';
import { DomainError } from '../../../kernel/domain-error';
import type { RunSql } from '../citus/placement';
import type { Database, IdempotentOperation, IdempotentRequest } from '../database';
import { renderResponse, StoredResponse } from '../database';
import type { FindByKey } from './keyed-look-ups';
import { insertOfRows } from './queued-statement';
import type { Insertion, KeyedLookUp, Statement, Tx } from '../tx';

/** How long a repeat of a creation returns the stored response. */
const REPLAY_DAYS = 7;

const DELETE_BATCH = 1_000;

class RecordTable {
  readonly lookUp: KeyedLookUp;
  /** Finds the records of several keys of one principal. */
  readonly selectKeys: string;
  /** Writes these records as they are. */
  readonly rewriteKeys: string;
  readonly delete: string;
  readonly insertOfRows: Insertion['ofRows'];

  /**
   * @param constraint allows one record per key
   * @param scope the columns of the key before `key`
   */
  constructor(
    name: string,
    readonly constraint: string,
    scope: readonly string[],
  ) {
    const columns = [...scope, 'key'];
    const arrays = columns.map((_, index) => `$${index + 1}::text[]`).join(', ');
    const isScope = scope.map((column, index) => `${column} = $${index + 1}`).join(' AND ');
    const isKey = `${isScope} AND key = $${columns.length}`;
    const hasKeys = `${isScope} AND key = ANY ($${columns.length})`;
    const select = `SELECT ${columns.join(', ')}, fingerprint, response, created_at, api_version FROM ${name} WHERE`;
    this.lookUp = {
      sql: `${select} (${columns.join(', ')}) IN (SELECT * FROM unnest(${arrays}))`,
      ofOne: `${select} ${isKey}`,
      columns,
    };
    this.selectKeys = `${select} ${hasKeys}`;
    this.rewriteKeys = `UPDATE ${name} SET created_at = created_at WHERE ${hasKeys}`;
    this.delete = `DELETE FROM ${name} WHERE ${isKey} AND created_at <= $${columns.length + 1}`;
    this.insertOfRows = insertOfRows(name, [
      ...columns,
      'fingerprint',
      'response',
      'created_at',
      'api_version',
    ]);
  }
}

/** Records of those who act for one account are stored beside it, so that they commit with it on one server. */
const ofAccounts = new RecordTable('account_idempotency_records', 'account_idempotency_records_key', [
  'account_id',
  'principal',
]);

/** Records of all others. */
const ofOthers = new RecordTable('idempotency_records', 'idempotency_records_key', ['principal']);

type Owner = Pick<IdempotentRequest, 'principal' | 'accountId'>;

const tableOf = ({ accountId }: Owner): RecordTable => (accountId === null ? ofOthers : ofAccounts);

const scopeOf = ({ accountId, principal }: Owner): string[] =>
  accountId === null ? [principal] : [accountId, principal];

interface Stored {
  readonly fingerprint: string;
  readonly response: string;
  readonly created_at: Date;
  readonly api_version: string | null;
}

/** Ends a transaction early: the response of an earlier request with this key is stored. */
export class Replay extends Error {
  constructor(readonly response: StoredResponse) {
    super('The response is already stored.');
  }
}

/** Another request with the same key committed in the meantime. The next attempt finds its response. */
export class StoredMeanwhile extends Error {}

/** Stores responses with the effects that they describe, in the same database transaction. */
export class IdempotencyStore {
  /** Requests whose key has a record that has expired, and is replaced. */
  private readonly replacing = new WeakSet<IdempotentRequest>();

  /** @param secrets the first signs new fingerprints, all are accepted, so that secrets can be rotated */
  constructor(private readonly secrets: readonly string[]) {}

  /** Throws {@link Replay} when the response is stored, and rejects a key that was used for another request. */
  async lookUp(operation: IdempotentRequest, now: Date, find: FindByKey): Promise<void> {
    const key = [...scopeOf(operation), operation.key!];
    const stored = (await find(tableOf(operation).lookUp, key)) as Stored | null;
    const response = stored && this.replay(operation, stored, now);
    if (response !== null) throw new Replay(response);
  }

  /** Reads the stored responses of several requests of one principal, and rejects like `lookUp`. */
  async findAll(
    tx: Tx,
    operations: readonly IdempotentRequest[],
    now: Date,
  ): Promise<ReadonlyMap<IdempotentRequest, StoredResponse>> {
    const withKey = operations.filter(({ key }) => key !== null);
    const [first] = withKey;
    if (first === undefined) return new Map();
    const params = [...scopeOf(first), withKey.map(({ key }) => key)];
    const rows = await tx.read<Stored & { readonly key: string }>(tableOf(first).selectKeys, params);
    const storedByKey = new Map(rows.map((row) => [row.key, row]));
    const found = new Map<IdempotentRequest, StoredResponse>();
    for (const operation of withKey) {
      const stored = storedByKey.get(operation.key!);
      const response = stored ? this.replay(operation, stored, now) : null;
      if (response !== null) found.set(operation, response);
    }
    return found;
  }

  /** @returns null for a record that has expired @throws DomainError `invalid_request` for that of another request */
  private replay(operation: IdempotentRequest, stored: Stored, now: Date): StoredResponse | null {
    if (stored.created_at <= replayableSince(now)) {
      this.replacing.add(operation);
      return null;
    }
    if (!this.secrets.some((secret) => fingerprint(secret, operation.request) === stored.fingerprint)) {
      throw new DomainError(
        'invalid_request',
        'This Idempotency-Key was used for a different request. Use a new key for a new request.',
      );
    }
    return new StoredResponse(stored.response, true, 201, stored.api_version);
  }

  /**
   * Waits until the synchronous standbys, if there are any, have what a repeat has found: after a crash or a canceled
   * wait of the first COMMIT, it is visible before. A commit of its own waits for all before it on the same server: of a
   * message, or of the records themselves where they may be on another one.
   * @param operations of one principal, at least one of them with a record
   */
  async confirm(
    run: RunSql,
    operations: readonly IdempotentRequest[],
    isDistributed: boolean,
  ): Promise<void> {
    const withKey = operations.filter(({ key }) => key !== null);
    const [first] = withKey as [IdempotentRequest];
    if (isDistributed && first.accountId !== null)
      await run(tableOf(first).rewriteKeys, [...scopeOf(first), withKey.map(({ key }) => key)]);
    else
      await run(
        `SELECT pg_logical_emit_message(true, 'countinghouse', '') WHERE current_setting('synchronous_standby_names') <> ''`,
        [],
      );
  }

  /** Deletes a bounded number of expired records. @returns whether there may be more */
  async deleteOld(database: Pick<Database, 'query' | 'transaction'>, now: Date): Promise<boolean> {
    const since = replayableSince(now);
    const deleted = await database.query(
      `DELETE FROM idempotency_records WHERE (principal, key) IN (
         SELECT principal, key FROM idempotency_records WHERE created_at <= $1 ORDER BY created_at LIMIT ${DELETE_BATCH}
       ) RETURNING key`,
      [since],
    );
    const old = await database.query<{ account_id: string; principal: string; key: string }>(
      `SELECT account_id, principal, key FROM account_idempotency_records WHERE created_at <= $1
       ORDER BY created_at LIMIT ${DELETE_BATCH}`,
      [since],
    );
    await database.transaction(async (tx) => {
      for (const { account_id: accountId, principal, key } of old)
        tx.enqueue(ofAccounts.delete, [accountId, principal, key, since]);
    });
    return [deleted, old].some(({ length }) => length === DELETE_BATCH);
  }

  /** Renders the response and queues its record, so that both commit or neither. */
  store<T>(tx: Tx, operation: IdempotentOperation<T>, result: T, now: Date): StoredResponse {
    const { key, request, showsSecretOf, version, linksTo } = operation;
    const body = JSON.stringify(renderResponse(operation, result));
    if (key !== null) {
      const stored = showsSecretOf?.(result) ?? body;
      const record = [fingerprint(this.secrets[0]!, request), stored, now, version?.name ?? null];
      const deletion = this.replacing.has(operation) ? deleteExpired(operation, key, now) : undefined;
      insert(tx, operation, key, record, deletion);
      const accountId = linksTo?.(result) ?? null;
      if (accountId !== null) insert(tx, { ...operation, accountId }, key, record);
    }
    return new StoredResponse(body, false);
  }
}

function deleteExpired(owner: Owner, key: string, now: Date): Statement {
  return { sql: tableOf(owner).delete, params: [...scopeOf(owner), key, replayableSince(now)] };
}

/** @param deletion of a record that has expired */
function insert(tx: Tx, owner: Owner, key: string, record: readonly unknown[], deletion?: Statement): void {
  const { constraint, insertOfRows: ofRows } = tableOf(owner);
  const params = [...scopeOf(owner), key, ...record];
  const errors = { [constraint]: () => new StoredMeanwhile() };
  tx.enqueueInsert({ sql: ofRows(1), params, rows: 1, ofRows, deletion }, errors);
}

/** The error of a repeat whose response showed a secret, which is not stored. @param id of what was created */
export function secretNotStored(id: string): DomainError {
  return new DomainError(
    'conflict',
    `The first request with this Idempotency-Key created ${id}. Its secret was shown once, in that response.`,
  );
}

/** Records created at or before this time have expired, and their keys may be used again. */
function replayableSince(now: Date): Date {
  return new Date(now.getTime() - REPLAY_DAYS * DAY_MS);
}

/** Request bodies contain personal data, so only a keyed hash is stored, against which guesses cannot be tested. */
function fingerprint(secret: string, request: string): string {
  return createHmac('sha256', secret).update(request).digest('base64url');
}
