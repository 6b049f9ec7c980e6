import fc from 'fast-check';
import { DAY_MS } from '../../../src/kernel/clock';
import { Api } from '../../support/api';
import { aPaymentRequest, aSubscription, aTransaction } from '../../support/request-bodies';
import { anOperator, anOwner, aUser, created, Owner, PASSWORD, Person, theAdmin } from '../../support/people';
import { Operation } from '../../support/operations';
import { TestService } from '../../support/service';
import { generatedCalls, KnownValues } from './generated-calls';
import { Rights, violationOf } from './violations';

/** How many calls are made before the caller and the items are created anew, since some calls end the session. */
export const CALLS_PER_ROUND = 50;

export const callers = [
  'an anonymous caller',
  'an owner',
  'a stranger',
  'an admin',
  'a deleted user',
  'a closed account',
] as const;

interface Caller extends Rights {
  readonly api: Api;
  readonly refreshToken: string;
}

/** What was called. */
interface Tally {
  calls: number;
  invalid: number;
  readonly statuses: Record<number, number>;
  /** The operations that succeeded. */
  readonly succeeded: Set<string>;
}

export const newTally = (): Tally => ({ calls: 0, invalid: 0, statuses: {}, succeeded: new Set() });

/**
 * Makes one round of calls about the account of an owner.
 * @throws Error for the first response that violates a rule, with the seed and the call
 */
export async function runCalls(
  service: TestService,
  operations: readonly Operation[],
  who: (typeof callers)[number],
  seed: number,
  tally: Tally,
): Promise<void> {
  const owner = await anOwner(service.api);
  const ids = await itemsOf(service, owner);
  const caller = await callerOf(service, who, owner, ids);
  const known: KnownValues = {
    ids,
    members: {
      password: [PASSWORD],
      current_password: [PASSWORD],
      refresh_token: [caller.refreshToken],
      currency: ['USD', 'USD', 'USD', 'EUR'],
      expires_at: [new Date(service.clock.now().getTime() + DAY_MS).toISOString()],
    },
  };
  await fc.assert(
    fc.asyncProperty(generatedCalls(operations, known), async (call) => {
      const { operation, path, body } = call;
      const reply = await caller.api.call(operation.method, path, body);
      tally.calls += 1;
      if (!call.valid) tally.invalid += 1;
      tally.statuses[reply.status] = (tally.statuses[reply.status] ?? 0) + 1;
      if (reply.status < 400) tally.succeeded.add(operation.id);
      const violation = violationOf(call, reply, caller);
      if (violation === null) return;
      throw new Error(
        `${violation}: ${operation.method} ${path} ${body ?? ''} by ${who} returned ${reply.status} ${reply.text}`,
      );
    }),
    { numRuns: CALLS_PER_ROUND, seed, endOnFailure: true, includeErrorInReport: true },
  );
}

async function callerOf(
  service: TestService,
  who: (typeof callers)[number],
  owner: Owner,
  foreignIds: readonly string[],
): Promise<Caller> {
  const alive = (person: Person, foreign: readonly string[]): Caller => ({
    ...person,
    authenticated: true,
    foreignIds: foreign,
  });
  switch (who) {
    case 'an anonymous caller':
      return { api: service.api, refreshToken: 'none', authenticated: false, foreignIds };
    case 'an owner':
      return alive(owner, []);
    case 'a stranger':
      return alive(await anOwner(service.api), foreignIds);
    case 'an admin':
      return alive(await anOperator(service.api, 'admin'), []);
    case 'a deleted user':
      return { ...(await aDeletedUser(service)), authenticated: false, foreignIds };
    case 'a closed account':
      await closeAccount(service, owner);
      return { ...owner, authenticated: false, foreignIds };
  }
}

export async function aDeletedUser(service: TestService): Promise<Person> {
  const user = await aUser(service.api);
  await expectStatus(user.api.delete(`/v1/users/${user.id}`), 200);
  return user;
}

export async function closeAccount(service: TestService, owner: Owner): Promise<void> {
  const { api } = await theAdmin(service.api);
  const { body } = await owner.api.get('/v1/subscriptions');
  for (const { id } of body.data) await expectStatus(owner.api.delete(`/v1/subscriptions/${id}`), 200);
  await expectStatus(api.delete(`/v1/accounts/${owner.accountId}`), 200);
}

async function expectStatus(reply: ReturnType<Api['get']>, expected: number): Promise<void> {
  const { status, text } = await reply;
  if (status !== expected) throw new Error(`The response is ${status}: ${text}`);
}

/** Creates one item of each kind under the owner's account. @returns their ids, and those of owner, account and a user */
export async function itemsOf(service: TestService, { api, id, accountId }: Owner): Promise<string[]> {
  const credit = aTransaction(accountId, { type: 'credit', amount: 10_000 });
  const { id: credited } = await created(api, '/v1/transactions', credit);
  const { id: pending } = await created(api, '/v1/transactions', aTransaction(accountId));
  const { id: request } = await created(api, '/v1/payments', aPaymentRequest(accountId));
  const { id: subscription } = await created(api, '/v1/subscriptions', aSubscription(accountId));
  const admin = (await theAdmin(service.api)).api;
  const unapplied = await created(admin, `/v1/payments/${request}/unapplied-payments`, { amount: 1 });
  const adjustment = await created(admin, `/v1/accounts/${accountId}/adjustments`, {
    direction: 'credit',
    amount: 1,
    currency: 'USD',
    reason: 'A fee, paid back',
  });
  const note = await created(admin, `/v1/accounts/${accountId}/notes`, { text: 'Called back.' });
  const key = await created(api, '/v1/api-keys', { name: 'Web shop' });
  const webhook = await created(api, '/v1/webhooks', { url: 'https://hooks.example.com/' });
  const { body } = await api.get('/v1/auth/sessions');
  const stranger = await aUser(service.api);
  return [
    id,
    accountId,
    credited,
    pending,
    request,
    subscription,
    unapplied.id,
    adjustment.id,
    note.id,
    key.id,
    webhook.id,
    body.data[0].session_id,
    stranger.id,
  ];
}
