import fc from 'fast-check';
import { LedgerVerification } from '../../../src/modules/ledger';
import { Reply } from '../../support/api';
import { anAccount, Owner, Person, theAdmin } from '../../support/people';
import { aTransaction } from '../../support/request-bodies';
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
    if ([from, ...parts.map(({ to }) => to)].some((index) => this.accounts[index]!.status !== 'active'))
      return 403;
    if (total > giver.posted - giver.held) return 402;
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
    giver.held += total;
    for (const { to, amount } of parts) this.accounts[to]!.pendingIn += amount;
    if (!later) this.end(transfer, 'succeeded');
    return 201;
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
    const sides = [transfer.from, ...transfer.parts.map(({ to }) => to)];
    if (sides.some((index) => this.accounts[index]!.status !== 'active')) return 403;
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
    const sides = [this.accounts[transfer.from]!, this.accounts[part.to]!];
    if (sides.some(({ status }) => status !== 'active')) return 403;
    if (transfer.status !== 'succeeded' || transfer.isReversal) return 409;
    if (amount > part.amount - part.reversed) return 400;
    const status = this.create(part.to, [{ to: transfer.from, amount }], false, false, true);
    if (status === 201) part.reversed += amount;
    return status;
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
const command: fc.Arbitrary<Command> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('credit' as const), account, amount }) },
  {
    weight: 8,
    arbitrary: fc
      .record({
        kind: fc.constant('create' as const),
        from: account,
        parts,
        later: fc.boolean(),
        expires: fc.boolean(),
      })
      .filter(({ from, parts: to }) => to.every((part) => part.to !== from)),
  },
  {
    weight: 5,
    arbitrary: fc.record({ kind: fc.constant('capture' as const), transfer, amount: fc.option(amount) }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('cancel' as const), transfer }) },
  {
    weight: 5,
    arbitrary: fc.record({ kind: fc.constant('reverse' as const), transfer, part: fc.nat(2), amount }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('status' as const),
      account,
      status: fc.constantFrom('active' as const, 'active' as const, 'suspended' as const, 'closed' as const),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('expire' as const) }) },
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

  /** Transfers are named by their index from the newest one, modulo their number. */
  const resolve = (one: Command, count: number): Command =>
    'transfer' in one && count > 0 ? { ...one, transfer: count - 1 - (one.transfer % count) } : one;

  async function send(one: Command, owners: readonly Owner[], ids: readonly string[]): Promise<Reply> {
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
          `${PATH}/${ids[one.transfer] ?? 'none'}/capture`,
          one.amount === null ? {} : { amount: one.amount },
        );
      case 'cancel':
        return api.delete(`${PATH}/${ids[one.transfer] ?? 'none'}`);
      case 'reverse': {
        const id = ids[one.transfer];
        if (id === undefined) return api.post(`${PATH}/none/reversal`, {});
        const { to } = (await api.get(`${PATH}/${id}`)).body;
        const receiver = to[one.part % to.length].account_id;
        return api.post(`${PATH}/${id}/reversal`, { account_id: receiver, amount: one.amount });
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

  async function compare(model: Model, owners: readonly Owner[], ids: readonly string[]): Promise<void> {
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
    const sides = await service.sql<{ id: string; status: string }>(
      'SELECT DISTINCT id, status FROM transfers WHERE id = ANY ($1)',
      [ids],
    );
    const statuses = new Map(sides.map(({ id, status }) => [id, status]));
    expect(sides).toHaveLength(ids.length); // both sides have the same status
    expect(ids.map((id) => statuses.get(id))).toEqual(model.transfers.map(({ status }) => status));
  }

  it('are those of the model', async () => {
    const history = fc.array(command, { minLength: 20, maxLength: 60 });
    await fc.assert(
      fc.asyncProperty(history, async (commands) => {
        const owners = await Promise.all(Array.from({ length: ACCOUNTS }, () => anAccount(service.api)));
        const model = new Model();
        const ids: string[] = [];
        const funding = owners.map((_, index): Command => ({ kind: 'credit', account: index, amount: 100 }));
        for (const drafted of [...funding, ...commands]) {
          const one = resolve(drafted, ids.length);
          const expected = model.apply(one);
          const reply = await send(one, owners, ids);
          expect([one, reply.status]).toEqual([one, expected]);
          if (expected === 201 && one.kind !== 'credit') ids.push(reply.body.id);
          await compare(model, owners, ids);
        }
      }),
      { numRuns: rounds(15), seed: SEED, endOnFailure: true },
    );
  });
});
