/** A second, simple implementation of what the service does with one account. */

export const MAX = 9_007_199_254_740_991;
export const CURRENCY = 'USD';

type Type = 'payment' | 'credit' | 'refund';
type Outcome = 'succeeded' | 'failed';
type Script = Outcome | 'pending' | 'maybe';
export type AccountStatus = 'active' | 'pending' | 'suspended' | 'closed';
export type Actor = 'owner' | 'admin';

/** A transaction is named by its index under the account, 0 for the oldest; null names one that does not exist. */
type Place = number | null;

export type Request =
  | {
      readonly kind: 'create';
      readonly actor: Actor;
      readonly type: Type;
      readonly amount: number;
      readonly currency: string;
      readonly script: Script | null;
      /** `foreign`: a payment of another account. */
      readonly source: Place | 'none' | 'foreign';
      readonly key: string | null;
    }
  | { readonly kind: 'cancel'; readonly actor: Actor; readonly place: Place }
  | { readonly kind: 'settle'; readonly actor: Actor; readonly place: Place; readonly outcome: Outcome }
  | { readonly kind: 'patch'; readonly actor: Actor; readonly place: Place; readonly body: object }
  | { readonly kind: 'close'; readonly actor: Actor }
  | { readonly kind: 'status'; readonly status: Exclude<AccountStatus, 'closed'> };

type Creation = Extract<Request, { kind: 'create' }>;

export interface Expected {
  readonly status: number;
  /** The error code of a rejected request. */
  readonly error?: string;
  /** The transaction in the response, and whether the response is a replay. */
  readonly place?: number;
  readonly replayed?: boolean;
}

export interface ModelTransaction {
  readonly type: Type;
  readonly amount: number;
  readonly source: number | null;
  readonly dueOutcome: Outcome | null;
  status: Outcome | 'pending' | 'canceled';
  refunded: number;
  reference: string | null;
  metadata: Record<string, unknown>;
}

const ok = (place?: number): Expected => ({ status: 200, place });
const reject = (status: number, error: string): Expected => ({ status, error });
const invalid = reject(400, 'invalid_request');

export class AccountModel {
  status: AccountStatus = 'active';
  posted = 0;
  held = 0;
  pendingIn = 0;
  transactions: ModelTransaction[] = [];
  /** What each idempotency key was first used for, by principal. */
  keys: Record<string, { request: string; place: number }> = {};

  copy(): AccountModel {
    return Object.assign(new AccountModel(), structuredClone({ ...this }));
  }

  get available(): number {
    return this.posted - this.held;
  }

  /** How much can still come in before the largest balance is reached. */
  get room(): number {
    return MAX - this.posted - this.pendingIn;
  }

  /** Executes a request and returns the expected response. A rejected request changes nothing. */
  handle(request: Request): Expected {
    // Numbers that cannot be parsed exactly are rejected before the token is checked.
    if (request.kind === 'create' && request.amount > MAX) return invalid;
    const signedOut = 'actor' in request && request.actor === 'owner' && this.status === 'closed';
    if (signedOut) return reject(401, 'unauthorized');
    switch (request.kind) {
      case 'create':
        return this.create(request);
      case 'cancel':
        return this.cancel(request.actor, request.place);
      case 'settle':
        return request.actor === 'owner'
          ? reject(403, 'forbidden')
          : this.end(request.place, request.outcome);
      case 'patch':
        return this.patch(request.actor, request.place, request.body);
      case 'close':
        return this.close();
      case 'status':
        if (this.status === 'closed') return reject(409, 'conflict');
        this.status = request.status;
        return ok();
    }
  }

  /** Settles these pending transactions, whose delay is over. */
  applyDueOutcomes(places: readonly number[]): void {
    for (const place of places) this.finish(place, this.transactions[place]!.dueOutcome!);
  }

  private create(request: Creation): Expected {
    const { actor, type, amount, currency, script, source, key } = request;
    if (!Number.isSafeInteger(amount) || amount < 1) return invalid;
    const name = `${actor} ${key}`;
    const asked = JSON.stringify(request);
    const known = key === null ? undefined : this.keys[name];
    if (known) return known.request === asked ? { status: 201, place: known.place, replayed: true } : invalid;

    const open =
      this.status === 'active' ||
      (this.status === 'pending' && type !== 'refund') ||
      (this.status === 'closed' && type === 'refund' && actor === 'admin');
    if (!open) return reject(403, 'forbidden');
    if (currency !== CURRENCY) return reject(400, 'currency_mismatch');
    if (script === 'maybe') return invalid;
    if (source !== 'none' && (type !== 'refund' || typeof source !== 'number')) return invalid;
    if (type === 'refund' && amount > this.available) return reject(402, 'insufficient_funds');
    if (type !== 'refund' && amount > this.room) return invalid;
    const paid = typeof source === 'number' ? this.transactions[source]! : null;
    if (paid && (paid.type !== 'payment' || paid.status !== 'succeeded')) return invalid;
    if (paid && amount > paid.amount - paid.refunded) return invalid;

    const place = this.transactions.length;
    const outcome = script ?? 'succeeded';
    const waits = type === 'payment' || outcome === 'pending';
    this.transactions.push({
      type,
      amount,
      source: typeof source === 'number' ? source : null,
      dueOutcome: type === 'payment' && outcome !== 'pending' ? outcome : null,
      status: 'pending',
      refunded: 0,
      reference: null,
      metadata: script === null ? {} : { sandbox_outcome: script },
    });
    if (type === 'refund') this.held += amount;
    else this.pendingIn += amount;
    if (paid) paid.refunded += amount;
    if (!waits) this.finish(place, outcome);
    if (key !== null) this.keys[name] = { request: asked, place };
    return { status: 201, place, replayed: false };
  }

  /** While the account is suspended, its owner can only read, and close it. */
  private isReadOnlyFor(actor: Actor): boolean {
    return actor === 'owner' && this.status === 'suspended';
  }

  private cancel(actor: Actor, place: Place): Expected {
    if (place !== null && this.transactions[place] && this.isReadOnlyFor(actor))
      return reject(403, 'forbidden');
    return this.end(place, 'canceled');
  }

  private end(place: Place, to: Outcome | 'canceled'): Expected {
    const transaction = place === null ? undefined : this.transactions[place];
    if (!transaction) return reject(404, 'not_found');
    if (transaction.status === to && to !== 'canceled') return ok(place!);
    if (transaction.status !== 'pending')
      return reject(409, to === 'canceled' ? 'not_cancellable' : 'conflict');
    this.finish(place!, to);
    return ok(place!);
  }

  private finish(place: number, to: Outcome | 'canceled'): void {
    const transaction = this.transactions[place]!;
    const { type, amount, source } = transaction;
    transaction.status = to;
    if (type === 'refund') this.held -= amount;
    else this.pendingIn -= amount;
    if (to === 'succeeded') this.posted += type === 'refund' ? -amount : amount;
    else if (source !== null) this.transactions[source]!.refunded -= amount;
  }

  private patch(
    actor: Actor,
    place: Place,
    body: { reference?: string; metadata?: object; amount?: number },
  ): Expected {
    if ('amount' in body || 'currency' in body || 'type' in body) return reject(409, 'conflict');
    const transaction = place === null ? undefined : this.transactions[place];
    if (!transaction) return reject(404, 'not_found');
    if (this.isReadOnlyFor(actor)) return reject(403, 'forbidden');
    if (body.reference !== undefined) transaction.reference = body.reference;
    Object.assign(transaction.metadata, body.metadata);
    return ok(place!);
  }

  private close(): Expected {
    if (this.status === 'closed') return reject(409, 'conflict');
    this.status = 'closed';
    this.transactions.forEach(({ status }, place) => {
      if (status === 'pending') this.finish(place, 'canceled');
    });
    return ok();
  }
}
