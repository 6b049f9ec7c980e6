import fc from 'fast-check';
import { Reply } from '../../support/api';
import { AccountModel, CURRENCY, Expected, MAX, Request } from './account.model';
import { World } from './world';

/** The accounts that one history interleaves. */
export const ACCOUNTS = 3;

export type Models = AccountModel[];
type Command = fc.AsyncCommand<Models, World>;

/** A request before the state of the account is known: amounts and transactions are named relative to it. */
type Draft = (model: AccountModel) => Request;

/** One request, compared with the model's response. */
class Step implements Command {
  constructor(
    private readonly index: number,
    private readonly draft: Draft,
    private readonly name: string,
  ) {}

  check = () => true;

  async run(models: Models, world: World): Promise<void> {
    const model = models[this.index]!;
    const request = this.draft(model);
    const expected = model.handle(request);
    const reply = await world.send(this.index, request);
    fail(world.difference(this.index, request, reply, expected, model));
    if (creates(expected)) world.learn(this.index, reply);
    if (request.kind === 'status' && request.status === 'suspended' && expected.status === 200)
      await world.signInAgain(this.index);
    await world.compare(models, [this.index], changes(expected) ? [this.index] : []);
  }

  toString = () => `account ${this.index}: ${this.name}`;
}

/** A request that was sent, and its response. */
interface Sent {
  readonly request: Request;
  readonly reply: Reply;
}

/** A sequential order that explains concurrent responses. */
interface Explanation {
  /** The model after the requests. */
  readonly model: AccountModel;
  /** The responses to creations, in this order. */
  readonly made: readonly Reply[];
}

/** Concurrent requests. Their responses must equal those of some sequential order, which is that of the ids. */
class Together implements Command {
  constructor(
    private readonly index: number,
    private readonly drafts: readonly Draft[],
    private readonly name: string,
  ) {}

  check = () => true;

  async run(models: Models, world: World): Promise<void> {
    const requests = this.drafts.map((draft) => draft(models[this.index]!));
    const replies = await Promise.all(requests.map((request) => world.send(this.index, request)));
    const sent = requests.map((request, at) => ({ request, reply: replies[at]! }));
    const differences = new Set<string>();
    const found = this.explain(world, { model: models[this.index]!, made: [] }, sent, differences);
    if (found === null) throw new Error(`No order explains the responses. ${[...differences].join('; ')}`);
    for (const reply of found.made) world.learn(this.index, reply);
    models[this.index] = found.model;
    await world.compare(models, [this.index], [this.index]);
  }

  /** @param left the requests that come after those of `before`, in any order */
  private explain(
    world: World,
    before: Explanation,
    left: readonly Sent[],
    differences: Set<string>,
  ): Explanation | null {
    if (left.length === 0) return before;
    const oldest = left
      .filter(isCreated)
      .map(({ reply }) => reply.body.id as string)
      .toSorted()[0];
    for (const sent of left) {
      if (isCreated(sent) && sent.reply.body.id !== oldest) continue; // ids rise in the order of the creations
      const after = this.append(world, before, sent);
      if (typeof after === 'string') {
        differences.add(after);
        continue;
      }
      const rest = left.filter((other) => other !== sent);
      const found = this.explain(world, after, rest, differences);
      if (found !== null) return found;
    }
    return null;
  }

  /** @returns why the request cannot be the next one, or the order with it */
  private append(world: World, { model, made }: Explanation, { request, reply }: Sent): Explanation | string {
    const next = model.copy();
    const expected = next.handle(request);
    // A concurrent request may have changed the status since, so it is compared at the end, in the list.
    const difference = world.difference(this.index, request, reply, expected, next);
    if (difference !== null) return difference;
    if (creates(expected)) return { model: next, made: [...made, reply] };
    const first = expected.replayed ? made.find(({ body }) => body.id === reply.body.id) : undefined;
    if (first !== undefined && first.text !== reply.text) return 'a repeat has a different response';
    return { model: next, made };
  }

  toString = () => `account ${this.index}: at once ${this.name}`;
}

/** Moves the clock and processes what is due. */
class RunDueTasks implements Command {
  constructor(private readonly seconds: number) {}

  check = () => true;

  async run(models: Models, world: World): Promise<void> {
    const due = await world.runDueTasks(this.seconds, models);
    due.forEach((places, index) => models[index]!.applyDueOutcomes(places));
    const changed = due.flatMap((places, index) => (places.length > 0 ? [index] : []));
    await world.compare(models, changed, changed);
  }

  toString = () => `due tasks after ${this.seconds} s`;
}

const isCreated = ({ reply }: Sent) => reply.status === 201 && !reply.headers.has('idempotency-replayed');
const creates = ({ status, replayed }: Expected) => status === 201 && !replayed;
const changes = ({ status, replayed }: Expected) => status < 300 && !replayed;

function fail(difference: string | null): void {
  if (difference !== null) throw new Error(difference);
}

const amounts: Record<string, (model: AccountModel) => number> = {
  some: () => 100,
  few: () => 7,
  half: ({ available }) => Math.max(1, Math.floor(available / 2)),
  'all that is available': ({ available }) => Math.max(1, available),
  'one more than available': ({ available }) => available + 1,
  'all that is posted': ({ posted }) => Math.max(1, posted),
  'all the room': ({ room }) => Math.max(1, room),
  'one more than the room': ({ room }) => room + 1,
  'the largest': () => MAX,
  nothing: () => 0,
  'beyond the largest': () => MAX + 1,
};

const amount = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom('some', 'few', 'half') },
  {
    weight: 4,
    arbitrary: fc.constantFrom('all that is available', 'one more than available', 'all that is posted'),
  },
  { weight: 1, arbitrary: fc.constantFrom(...Object.keys(amounts)) },
);
const actor = fc.oneof(
  { weight: 4, arbitrary: fc.constant('owner' as const) },
  { weight: 1, arbitrary: fc.constant('admin' as const) },
);
/** Which transaction, 0 for the newest. Most requests are about recent ones. */
const place = fc.oneof({ weight: 4, arbitrary: fc.nat(2) }, { weight: 1, arbitrary: fc.nat(11) });

const placeOf = (model: AccountModel, back: number): number | null => {
  const found = model.transactions.length - 1 - back;
  return found < 0 ? null : found;
};

interface Named {
  readonly draft: Draft;
  readonly name: string;
}

const named = (draft: Draft, ...words: unknown[]): Named => ({
  draft,
  name: words.map((word) => JSON.stringify(word)).join(' '),
});

const creation = fc
  .record({
    actor,
    type: fc.oneof(
      { weight: 3, arbitrary: fc.constant('refund' as const) },
      { weight: 3, arbitrary: fc.constantFrom('credit' as const, 'payment' as const) },
    ),
    amount,
    currency: fc.oneof(
      { weight: 14, arbitrary: fc.constant(CURRENCY) },
      { weight: 1, arbitrary: fc.constant('EUR') },
    ),
    script: fc.oneof(
      { weight: 5, arbitrary: fc.constant(null) },
      { weight: 4, arbitrary: fc.constant('pending' as const) },
      { weight: 2, arbitrary: fc.constantFrom('succeeded' as const, 'failed' as const) },
      { weight: 1, arbitrary: fc.constant('maybe' as const) },
    ),
    source: fc.oneof(
      { weight: 8, arbitrary: fc.constant('none' as const) },
      { weight: 1, arbitrary: fc.constantFrom('foreign' as const, 'absent' as const) },
      { weight: 3, arbitrary: fc.constant('payment' as const) },
      { weight: 1, arbitrary: place },
    ),
    key: fc.oneof(
      { weight: 2, arbitrary: fc.constant(null) },
      { weight: 1, arbitrary: fc.constantFrom('a', 'b') },
    ),
  })
  .map((parts) =>
    named(
      (model) => ({
        ...parts,
        kind: 'create',
        amount: amounts[parts.amount]!(model),
        source: sourceOf(model, parts.source),
      }),
      'create',
      parts,
    ),
  );

/** `payment`: the newest settled payment, which a refund can name as its source. */
function sourceOf(model: AccountModel, source: number | string): number | 'none' | 'foreign' | null {
  if (source === 'none' || source === 'foreign') return source;
  if (typeof source === 'number') return placeOf(model, source);
  if (source === 'absent') return null;
  const found = model.transactions.findLastIndex(
    ({ type, status }) => type === 'payment' && status === 'succeeded',
  );
  return found < 0 ? 'none' : found;
}

const cancellation = fc
  .tuple(actor, place)
  .map(([by, back]) =>
    named((model) => ({ kind: 'cancel', actor: by, place: placeOf(model, back) }), 'cancel', by, back),
  );

const settlement = fc
  .tuple(
    fc.oneof(
      { weight: 6, arbitrary: fc.constant('admin' as const) },
      { weight: 1, arbitrary: fc.constant('owner' as const) },
    ),
    place,
    fc.constantFrom('succeeded' as const, 'failed' as const),
  )
  .map(([by, back, outcome]) =>
    named(
      (model) => ({ kind: 'settle', actor: by, place: placeOf(model, back), outcome }),
      'settle',
      by,
      back,
      outcome,
    ),
  );

const annotation = fc
  .tuple(
    actor,
    place,
    fc.constantFrom<object>(
      { reference: 'invoice-7' },
      { metadata: { order: 7 } },
      { metadata: { sandbox_outcome: 'failed' }, reference: 'invoice-8' },
      { amount: 1 },
      { currency: 'EUR', reference: 'x' },
      { type: 'credit' },
    ),
  )
  .map(([by, back, body]) =>
    named(
      (model) => ({ kind: 'patch', actor: by, place: placeOf(model, back), body }),
      'patch',
      by,
      back,
      body,
    ),
  );

const closing = actor.map((by) => named(() => ({ kind: 'close', actor: by }), 'close', by));
const membershipRole = fc
  .constantFrom('active' as const, 'active' as const, 'suspended' as const, 'pending' as const)
  .map((status) => named(() => ({ kind: 'status', status }), status));

const index = fc.nat(ACCOUNTS - 1);
const one = (arbitrary: fc.Arbitrary<Named>): fc.Arbitrary<Command> =>
  fc.tuple(index, arbitrary).map(([at, { draft, name }]) => new Step(at, draft, name));

/** Two to four concurrent requests. Often one is sent twice, as by a client that retries too early. */
const crowd = fc
  .tuple(
    index,
    fc.array(fc.oneof({ weight: 3, arbitrary: creation }, cancellation, settlement), {
      minLength: 2,
      maxLength: 3,
    }),
    fc.boolean(),
  )
  .map(([at, some, twice]) => {
    const all = twice ? [...some, some[0]!] : some;
    return new Together(
      at,
      all.map(({ draft }) => draft),
      all.map(({ name }) => name).join(', '),
    );
  });

/** Many creations at once: those that arrive while the first is in flight are decided together. */
const rush = fc.tuple(index, fc.array(creation, { minLength: 5, maxLength: 8 })).map(
  ([at, all]) =>
    new Together(
      at,
      all.map(({ draft }) => draft),
      all.map(({ name }) => name).join(', '),
    ),
);

/** A history: mostly transactions, and sometimes a change of the account's status. */
export const histories = (length: number) =>
  fc.commands<Models, World, false>(
    [
      ...Array.from({ length: 7 }, () => one(creation)),
      ...Array.from({ length: 2 }, () => one(cancellation)),
      ...Array.from({ length: 2 }, () => one(settlement)),
      one(annotation),
      one(fc.oneof({ weight: 3, arbitrary: membershipRole }, closing)),
      ...Array.from({ length: 4 }, () => crowd),
      ...Array.from({ length: 2 }, () => rush),
      fc.constantFrom(1, 25, 61).map((seconds) => new RunDueTasks(seconds)),
    ],
    { maxCommands: length, size: 'max' },
  );
