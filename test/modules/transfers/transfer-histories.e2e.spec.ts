import fc from 'fast-check';
import { LedgerVerification } from '../../../src/modules/ledger';
import { Reply } from '../../support/api';
import { anAccount, Owner, Person, theAdmin } from '../../support/people';
import { aPaymentRequest, aTransaction } from '../../support/request-bodies';
import { rounds, SEED } from '../../support/rounds';
import { startTestService, TestService } from '../../support/service';
import { contextOn } from '../ledger/context';

const PATH = '/v1/transfers';
const ACCOUNTS = 5;

/** A second, simple implementation of transfers. Accounts and transfers are named by their index. */
interface ModelAccount {
  status: 'active' | 'suspended' | 'closed';
  posted: number;
  held: number;
  pendingIn: number;
}

interface ModelPart {
  readonly to: number;
  amount: number;
  reversed: number;
}

interface ModelTransfer {
  readonly from: number;
  readonly parts: ModelPart[];
  readonly isReversal: boolean;
  readonly later: boolean;
  status: 'pending' | 'succeeded' | 'canceled' | 'expired';
}

interface ModelSplit {
  readonly to: number;
  readonly amount?: number;
  readonly percent?: number;
}

interface ModelRequest {
  readonly account: number;
  readonly amount: number;
  readonly splits: readonly ModelSplit[];
  status: 'pending' | 'succeeded' | 'canceled';
  refunded: number;
  split?: ModelTransfer;
}

type Command =
  | { kind: 'credit'; account: number; amount: number }
  | {
      kind: 'create';
      from: number;
      parts: { to: number; amount: number }[];
      later: boolean;
      expires: boolean;
    }
  | { kind: 'capture'; transfer: number; amount: number | null }
  | { kind: 'cancel'; transfer: number }
  | { kind: 'reverse'; transfer: number; part: number; amount: number }
  | { kind: 'request'; account: number; amount: number; splits: ModelSplit[] }
  | { kind: 'pay'; request: number }
  | { kind: 'refund'; request: number; amount: number; takesBack: boolean }
  | { kind: 'status'; account: number; status: 'active' | 'suspended' | 'closed' }
  | { kind: 'expire' };

class Model {
  readonly accounts: ModelAccount[] = Array.from({ length: ACCOUNTS }, () => ({
    status: 'active',
    posted: 0,
    held: 0,
    pendingIn: 0,
  }));
  readonly transfers: (ModelTransfer & { expires: boolean })[] = [];
  readonly requests: ModelRequest[] = [];

  /** @returns the expected status of the response */
  apply(command: Command): number {
    switch (command.kind) {
      case 'credit':
        if (this.accounts[command.account]!.status !== 'active') return 403;
        this.accounts[command.account]!.posted += command.amount;
        return 201;
      case 'create':
        return this.create(command.from, command.parts, command.later, command.expires, false);
      case 'capture':
        return this.capture(this.transfers[command.transfer], command.amount);
      case 'cancel': {
        const transfer = this.transfers[command.transfer];
        if (!transfer) return 404;
        if (transfer.status !== 'pending') return 409;
        this.end(transfer, 'canceled');
        return 200;
      }
      case 'reverse':
        return this.reverse(this.transfers[command.transfer], command.part, command.amount);
      case 'request':
        return this.request(command);
      case 'pay':
        return this.pay(this.requests[command.request]!);
      case 'refund':
        return this.refund(this.requests[command.request]!, command.amount, command.takesBack);
      case 'status':
        return this.setStatus(command.account, command.status);
      case 'expire':
        for (const transfer of this.transfers)
          if (transfer.expires && transfer.status === 'pending') this.end(transfer, 'expired');
        return 200;
    }
  }

  private create(
    from: number,
    parts: readonly { to: number; amount: number }[],
    later: boolean,
    expires: boolean,
    isReversal: boolean,
  ): number {
    const giver = this.accounts[from]!;
    const total = parts.reduce((sum, { amount }) => sum + amount, 0);
    if (!this.areActive(from, ...parts.map(({ to }) => to))) return 403;
    if (total > giver.posted - giver.held) return 402;
    this.move(from, parts, later, expires, isReversal);
    return 201;
  }

  private areActive(...indexes: number[]): boolean {
    return indexes.every((index) => this.accounts[index]!.status === 'active');
  }

  private move(
    from: number,
    parts: readonly { to: number; amount: number }[],
    later = false,
    expires = false,
    isReversal = false,
  ): ModelTransfer {
    const giver = this.accounts[from]!;
    const own = parts.map((part) => ({ ...part, reversed: 0 }));
    const transfer = {
      from,
      parts: own,
      isReversal,
      later,
      expires: later && expires,
      status: 'pending' as const,
    };
    this.transfers.push(transfer);
    giver.held += parts.reduce((sum, { amount }) => sum + amount, 0);
    for (const { to, amount } of parts) this.accounts[to]!.pendingIn += amount;
    if (!later) this.end(transfer, 'succeeded');
    return transfer;
  }

  private end(transfer: ModelTransfer, status: ModelTransfer['status']): void {
    transfer.status = status;
    for (const { to, amount } of transfer.parts) {
      this.accounts[transfer.from]!.held -= amount;
      this.accounts[to]!.pendingIn -= amount;
      if (status !== 'succeeded') continue;
      this.accounts[transfer.from]!.posted -= amount;
      this.accounts[to]!.posted += amount;
    }
  }

  private capture(transfer: ModelTransfer | undefined, amount: number | null): number {
    if (!transfer) return 404;
    const total = transfer.parts.reduce((sum, part) => sum + part.amount, 0);
    if (transfer.status === 'succeeded' && transfer.later && (amount ?? total) === total) return 200;
    if (transfer.status !== 'pending') return 409;
    if (amount !== null && (amount > total || (amount < total && transfer.parts.length > 1))) return 400;
    if (!this.areActive(transfer.from, ...transfer.parts.map(({ to }) => to))) return 403;
    if (amount !== null && amount < total) {
      this.accounts[transfer.from]!.held -= total - amount;
      this.accounts[transfer.parts[0]!.to]!.pendingIn -= total - amount;
      transfer.parts[0]!.amount = amount;
    }
    this.end(transfer, 'succeeded');
    return 200;
  }

  private reverse(transfer: ModelTransfer | undefined, index: number, amount: number): number {
    if (!transfer) return 404;
    const part = transfer.parts[index % transfer.parts.length]!;
    if (!this.areActive(transfer.from, part.to)) return 403;
    if (transfer.status !== 'succeeded' || transfer.isReversal) return 409;
    if (amount > part.amount - part.reversed) return 400;
    const status = this.create(part.to, [{ to: transfer.from, amount }], false, false, true);
    if (status === 201) part.reversed += amount;
    return status;
  }

  private request({ account, amount, splits }: Command & { kind: 'request' }): number {
    if (!this.areActive(account, ...splits.map(({ to }) => to))) return 403;
    this.requests.push({ account, amount, splits, status: 'pending', refunded: 0 });
    return 201;
  }

  /** The customer has paid, so only what ended before rejects it. Parts that cannot go out stay. */
  private pay(request: ModelRequest): number {
    if (request.status === 'canceled') return 409;
    if (request.status === 'succeeded') return 200;
    request.status = 'succeeded';
    this.accounts[request.account]!.posted += request.amount;
    const parts = request.splits
      .filter(({ to }) => this.areActive(request.account, to))
      .map(({ to, amount, percent }) => ({
        to,
        amount: amount ?? Math.floor((request.amount * Math.round(percent! * 100)) / 10_000),
      }));
    if (parts.length > 0) request.split = this.move(request.account, parts);
    return 200;
  }

  /** An admin refunds, also from a closed account. */
  private refund(request: ModelRequest, amount: number, takesBack: boolean): number {
    const payee = this.accounts[request.account]!;
    if (payee.status === 'suspended') return 403;
    const parts = takesBack ? (request.split?.parts ?? []) : [];
    if (!this.areActive(...parts.map(({ to }) => to))) return 403;
    const exceeds = amount > request.amount - request.refunded;
    if (exceeds && takesBack) return 400;
    const refunded = request.refunded + amount;
    const dues = parts.map((part) => {
      const due = Math.floor((part.amount * refunded) / request.amount) - part.reversed;
      return { part, due: Math.max(due, 0) };
    });
    const returned = dues.reduce((sum, { due }) => sum + due, 0);
    if (dues.some(({ part: { to }, due }) => due > this.accounts[to]!.posted - this.accounts[to]!.held))
      return 402;
    if (amount > payee.posted - payee.held + returned) return 402;
    if (exceeds) return 400;
    // In the order of the ids of their accounts.
    for (const { part, due } of dues.toSorted((one, other) => one.part.to - other.part.to)) {
      if (due === 0) continue;
      part.reversed += due;
      this.move(part.to, [{ to: request.account, amount: due }], false, false, true);
    }
    payee.posted -= amount;
    request.refunded = refunded;
    return 201;
  }

  private setStatus(index: number, status: ModelAccount['status']): number {
    const account = this.accounts[index]!;
    if (account.status === 'closed') return 409;
    account.status = status;
    if (status !== 'closed') return 200;
    for (const transfer of this.transfers) {
      const isSide = transfer.from === index || transfer.parts.some(({ to }) => to === index);
      if (isSide && transfer.status === 'pending') this.end(transfer, 'canceled');
    }
    for (const request of this.requests)
      if (request.account === index && request.status === 'pending') request.status = 'canceled';
    return 200;
  }
}

const account = fc.nat(ACCOUNTS - 1);
const transfer = fc.oneof({ weight: 5, arbitrary: fc.nat(5) }, { weight: 1, arbitrary: fc.nat(30) });
const amount = fc.integer({ min: 1, max: 60 });
const parts = fc.uniqueArray(fc.record({ to: account, amount }), {
  minLength: 1,
  maxLength: 3,
  selector: ({ to }) => to,
});
const split = fc.oneof(
  fc.record({ to: account, amount: fc.integer({ min: 1, max: 19 }) }),
  fc.record({ to: account, percent: fc.integer({ min: 200, max: 3300 }).map((points) => points / 100) }),
);
const splits = fc.uniqueArray(split, { maxLength: 3, selector: ({ to }) => to });
const later = fc.boolean();
const status = fc.constantFrom('active' as const, 'active' as const, 'suspended' as const, 'closed' as const);
const request = fc.nat(3);
const isKind = <K extends Command['kind']>(kind: K) => fc.constant(kind);
const kinds = {
  credit: fc.record({ kind: isKind('credit'), account, amount }),
  create: fc
    .record({ kind: isKind('create'), from: account, parts, later, expires: fc.boolean() })
    .filter(({ from, parts: to }) => to.every((part) => part.to !== from)),
  capture: fc.record({ kind: isKind('capture'), transfer, amount: fc.option(amount, { nil: null }) }),
  cancel: fc.record({ kind: isKind('cancel'), transfer }),
  reverse: fc.record({ kind: isKind('reverse'), transfer, part: fc.nat(2), amount }),
  request: fc
    .record({ kind: isKind('request'), account, amount: fc.integer({ min: 60, max: 200 }), splits })
    .filter((one) => one.splits.every(({ to }) => to !== one.account)),
  pay: fc.record({ kind: isKind('pay'), request }),
  refund: fc.record({ kind: isKind('refund'), request, amount, takesBack: fc.boolean() }),
  status: fc.record({ kind: isKind('status'), account, status }),
  expire: fc.record({ kind: isKind('expire') }),
} satisfies Record<Command['kind'], fc.Arbitrary<Command>>;

/** Commands of which some kinds are more frequent. */
function mix(weights: Partial<Record<Command['kind'], number>>): fc.Arbitrary<Command[]> {
  const weighted = Object.entries(kinds).map(([kind, arbitrary]) => ({
    weight: weights[kind as Command['kind']] ?? 1,
    arbitrary: arbitrary as fc.Arbitrary<Command>,
  }));
  return fc.array(fc.oneof(...weighted), { minLength: 20, maxLength: 60 });
}

const history = fc.oneof(
  mix({ credit: 3, create: 8, capture: 5, cancel: 2, reverse: 5, status: 2 }),
  mix({ credit: 2, request: 8, pay: 8, refund: 10, status: 4 }),
);

describe(`Histories of transfers among ${ACCOUNTS} accounts (seed ${SEED})`, () => {
  let service: TestService;
  let admin: Person;

  beforeAll(async () => {
    service = await startTestService({ ACCESS_TOKEN_TTL: '86400' });
    admin = await theAdmin(service.api);
  });
  afterAll(async () => {
    const app = await contextOn(service);
    const { faults } = await app.get(LedgerVerification).run(() => undefined);
    await app.close();
    await service.stop();
    expect(faults).toEqual([]);
  });

  /** What there is in a history, by the index in the model. */
  interface Things {
    readonly owners: readonly Owner[];
    /** The ids of transfers. */
    readonly transfers: string[];
    readonly requests: { id: string; transactionId?: string }[];
  }

  /**
   * Transfers and requests are named by their index from the newest one, modulo their number.
   * @returns null for a command about something of which there is none
   */
  function resolve(one: Command, { transfers, requests }: Model): Command | null {
    const fromNewest = (index: number, count: number): number => count - 1 - (index % count);
    if ('transfer' in one)
      return transfers.length === 0 ? one : { ...one, transfer: fromNewest(one.transfer, transfers.length) };
    if (!('request' in one)) return one;
    const open = requests.filter((other) => other.status === 'pending');
    const paid = requests.filter((other) => other.status === 'succeeded');
    const named = one.kind === 'refund' ? paid : open.length > 0 ? open : requests;
    if (named.length === 0) return null;
    return { ...one, request: requests.indexOf(named[fromNewest(one.request, named.length)]!) };
  }

  async function send(one: Command, { owners, transfers, requests }: Things): Promise<Reply> {
    const { api } = admin;
    const idOf = (index: number): string => owners[index]!.accountId;
    switch (one.kind) {
      case 'credit':
        return api.post(
          '/v1/transactions',
          aTransaction(idOf(one.account), { type: 'credit', amount: one.amount }),
        );
      case 'create':
        return api.post(PATH, {
          from_account_id: idOf(one.from),
          to: one.parts.map((part) => ({ account_id: idOf(part.to), amount: part.amount })),
          currency: 'USD',
          capture: one.later ? 'later' : 'now',
          ...(one.later &&
            one.expires && { expires_at: new Date(service.clock.now().getTime() + 30_000).toISOString() }),
        });
      case 'capture':
        return api.post(
          `${PATH}/${transfers[one.transfer] ?? 'none'}/capture`,
          one.amount === null ? {} : { amount: one.amount },
        );
      case 'cancel':
        return api.delete(`${PATH}/${transfers[one.transfer] ?? 'none'}`);
      case 'reverse': {
        const id = transfers[one.transfer];
        if (id === undefined) return api.post(`${PATH}/none/reversal`, {});
        const { to } = (await api.get(`${PATH}/${id}`)).body;
        const receiver = to[one.part % to.length].account_id;
        return api.post(`${PATH}/${id}/reversal`, { account_id: receiver, amount: one.amount });
      }
      case 'request': {
        const parts = one.splits.map(({ to, ...part }) => ({ account_id: idOf(to), ...part }));
        const members = { amount: one.amount, ...(parts.length > 0 && { splits: parts }) };
        return api.post('/v1/payments', aPaymentRequest(idOf(one.account), members));
      }
      case 'pay': {
        const { id } = requests[one.request]!;
        const { amount: due } = (await api.get(`/v1/payments/${id}`)).body;
        return api.post(`/v1/payments/${id}/settlement`, { outcome: 'succeeded', amount: due });
      }
      case 'refund': {
        const { id, transactionId } = requests[one.request]!;
        const { account_id } = (await api.get(`/v1/payments/${id}`)).body;
        return api.post(
          '/v1/transactions',
          aTransaction(account_id, {
            type: 'refund',
            amount: one.amount,
            source_transaction_id: transactionId,
            reverse_splits: one.takesBack,
          }),
        );
      }
      case 'status':
        return one.status === 'closed'
          ? api.delete(`/v1/accounts/${idOf(one.account)}`)
          : api.patch(`/v1/accounts/${idOf(one.account)}`, { status: one.status });
      case 'expire':
        service.clock.move({ seconds: 31 });
        await service.runDueTasks();
        return api.get('/v1/transfers?limit=1');
    }
  }

  /** Keeps the ids of what a command has created, transfers of splits and of what is taken back among them. */
  async function keep(one: Command, { body }: Reply, { transfers, requests }: Things): Promise<void> {
    const idsFrom = async (sourceId: string): Promise<string[]> => {
      const rows = await service.sql<{ id: string }>(
        `SELECT id FROM transfers WHERE source_transaction_id = $1 AND direction = 'out' ORDER BY id`,
        [sourceId],
      );
      return rows.map(({ id }) => id).filter((id) => !transfers.includes(id));
    };
    if (one.kind === 'create' || one.kind === 'reverse') transfers.push(body.id);
    if (one.kind === 'request') requests.push({ id: body.id });
    if (one.kind === 'refund') transfers.push(...(await idsFrom(body.id)));
    if (one.kind !== 'pay') return;
    requests[one.request]!.transactionId = body.transaction_id;
    transfers.push(...(await idsFrom(body.transaction_id)));
  }

  async function compare(model: Model, { owners, transfers: ids, requests }: Things): Promise<void> {
    const rows = await service.sql<Record<string, string>>(
      'SELECT id, status, posted, held, pending_in FROM accounts WHERE id = ANY ($1) ORDER BY id',
      [owners.map(({ accountId }) => accountId)],
    );
    const byId = new Map(rows.map((row) => [row['id'], row]));
    const actual = owners.map(({ accountId }) => {
      const row = byId.get(accountId)!;
      const [posted, held, pendingIn] = [row['posted'], row['held'], row['pending_in']].map(Number);
      return { status: row['status'], posted, held, pendingIn };
    });
    expect(actual).toEqual(model.accounts);
    const sides = await service.sql<Record<string, string>>(
      'SELECT id, account_id, direction, status, amount, reversed_amount FROM transfers WHERE id = ANY ($1)',
      [ids],
    );
    const sidesOf = (id: string) => sides.filter((side) => side['id'] === id).map(toLine);
    expect(ids.map((id) => sidesOf(id).toSorted())).toEqual(
      model.transfers.map((one) => linesOf(one, owners).toSorted()),
    );
    const shown = await service.sql<{ id: string; status: string }>(
      'SELECT id, status FROM payment_requests WHERE id = ANY ($1)',
      [requests.map(({ id }) => id)],
    );
    const shownBy = new Map(shown.map(({ id, status }) => [id, status]));
    expect(requests.map(({ id }) => shownBy.get(id))).toEqual(model.requests.map(({ status }) => status));
  }

  const toLine = ({ account_id, direction, status, amount: sum, reversed_amount }: Record<string, string>) =>
    `${account_id} ${direction} ${status} ${sum} ${reversed_amount}`;

  /** The side of the account that gives, and one for each that receives. */
  function linesOf({ from, status, parts: to }: ModelTransfer, owners: readonly Owner[]): string[] {
    const line = (index: number, direction: string, sum: number, reversed: number): string =>
      `${owners[index]!.accountId} ${direction} ${status} ${sum} ${reversed}`;
    const total = (member: 'amount' | 'reversed') => to.reduce((sum, part) => sum + part[member], 0);
    return [
      line(from, 'out', total('amount'), total('reversed')),
      ...to.map((part) => line(part.to, 'in', part.amount, part.reversed)),
    ];
  }

  it('are those of the model', async () => {
    await fc.assert(
      fc.asyncProperty(history, async (commands) => {
        const drawn = await Promise.all(Array.from({ length: ACCOUNTS }, () => anAccount(service.api)));
        const owners = drawn.toSorted((one, other) => (one.accountId < other.accountId ? -1 : 1));
        const model = new Model();
        const things: Things = { owners, transfers: [], requests: [] };
        const funding = owners.map((_, index): Command => ({ kind: 'credit', account: index, amount: 100 }));
        for (const drafted of [...funding, ...commands]) {
          const one = resolve(drafted, model);
          if (one === null) continue;
          const expected = model.apply(one);
          const reply = await send(one, things);
          expect([one, reply.status]).toEqual([one, expected]);
          if (expected < 300) await keep(one, reply, things);
          await compare(model, things);
        }
      }),
      { numRuns: rounds(20), seed: SEED, endOnFailure: true },
    );
  });
});
