import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { behaviors, HostileReceiver } from '../../../../modules/events/webhooks/hostile-receiver';
import { Attack as ConnectionAttack, pipelined } from '../../../../support/attacks';
import { created, Owner, PASSWORD, someEmail } from '../../../../support/people';
import { aPaymentRequest, aTransaction } from '../../../../support/request-bodies';
import { StripeDouble } from '../../../../support/stripe-double';
import { Installation } from '../service-process';
import { Counts, Flood } from './flood';
import { oddEvents } from './odd-events';

const CONNECTIONS_FROM = '127.0.0.4';
const MANY_ADDRESSES = Array.from({ length: 20 }, (_, index) => `127.0.1.${index + 1}`);
const LOCK_MS = 3_000;

/** What attackers know and have. */
export interface Target {
  readonly url: string;
  /** The emails of honest clients. */
  readonly emails: readonly string[];
  /** An attacker with an account. */
  readonly tenant: Owner;
  readonly stripe: StripeDouble;
  readonly hostile: HostileReceiver;
  readonly installation: Installation;
}

/** An attack until a signal ends it. @returns the responses that the attackers got, as far as they read any */
export type Attack = (target: Target, end: AbortSignal) => Promise<Counts>;

export const attacks: Readonly<Record<string, Attack>> = {
  'pipelined requests, responses unread': unreadResponses,
  'slow headers and bodies': slowRequests,
  'sign-ups with an email in use': signUpsWithKnownEmail,
  'sign-ups with new emails': signUpsWithNewEmails,
  'bogus tokens': bogusTokens,
  'failed logins': failedLogins,
  'lists and filters of one tenant': filtersOfOneTenant,
  'lock waits of one tenant': lockWaitsOfOneTenant,
  'presses on payment links': presses,
  'odd processor events': processorEvents,
  'hostile webhook receivers': hostileReceivers,
};

/** 16 connections with 1,400 requests each, whose responses nobody reads. */
async function unreadResponses({ url }: Target, end: AbortSignal): Promise<Counts> {
  const attack = new ConnectionAttack(url, CONNECTIONS_FROM);
  attack.sendUnread(16, pipelined(1400, '/openapi.json'));
  await once(end, 'abort');
  attack.stop();
  return {};
}

/** 300 connections that never complete the headers of a request, and 300 that never complete a body. */
async function slowRequests({ url }: Target, end: AbortSignal): Promise<Counts> {
  const attack = new ConnectionAttack(url, CONNECTIONS_FROM);
  const start = 'POST /v1/users HTTP/1.1\r\nHost: localhost\r\n';
  attack.sendSlowly(300, `${start}X-Slow: `);
  attack.sendSlowly(300, `${start}Content-Type: application/json\r\nContent-Length: 50000\r\n\r\n`);
  await once(end, 'abort');
  attack.stop();
  return {};
}

function signUpsWithKnownEmail({ url, emails }: Target, end: AbortSignal): Promise<Counts> {
  const body = { email: emails[0]!, password: PASSWORD };
  return new Flood(url, end).atRate(100, () => ({ method: 'POST', path: '/v1/users', body }));
}

function signUpsWithNewEmails({ url }: Target, end: AbortSignal): Promise<Counts> {
  return new Flood(url, end).atRate(100, () => ({
    method: 'POST',
    path: '/v1/users',
    body: { email: someEmail(), password: PASSWORD },
  }));
}

/** Each request has another token, which nobody issued. */
function bogusTokens({ url }: Target, end: AbortSignal): Promise<Counts> {
  const part = (members: object): string => Buffer.from(JSON.stringify(members)).toString('base64url');
  const token = (): string => `${part({ alg: 'HS256', typ: 'JWT' })}.${part({ sub: randomUUID() })}.bogus`;
  return new Flood(url, end, MANY_ADDRESSES).atRate(300, () => ({
    method: 'GET',
    path: '/v1/auth/sessions',
    token: token(),
  }));
}

/** Wrong passwords of honest clients and of nobody. */
function failedLogins({ url, emails }: Target, end: AbortSignal): Promise<Counts> {
  return new Flood(url, end).atRate(50, (index) => ({
    method: 'POST',
    path: '/v1/auth/login',
    body: { email: index % 2 ? someEmail() : emails[index % emails.length]!, password: 'a wrong password' },
  }));
}

/** 40 requests at a time for long lists, and for filters that find nothing. */
function filtersOfOneTenant({ url, tenant }: Target, end: AbortSignal): Promise<Counts> {
  const paths = [
    '/v1/transactions?limit=100&view=full',
    '/v1/transactions?limit=100&status=failed&date_from=2020-01-01',
    '/v1/transactions?limit=100&reference=there-is-none',
    '/v1/transactions?limit=100&type=refund&status=canceled',
  ];
  const { token } = tenant;
  return new Flood(url, end).atOnce(40, (index) => ({
    method: 'GET',
    path: paths[index % paths.length]!,
    token,
  }));
}

/** 100 creations at a time in one account, whose lock is held for seconds. */
async function lockWaitsOfOneTenant(target: Target, end: AbortSignal): Promise<Counts> {
  const { url, tenant, installation } = target;
  const database = await installation.connect();
  const holdLock = async (): Promise<void> => {
    while (!end.aborted) {
      await database.query('BEGIN');
      await database.query('SELECT FROM accounts WHERE id = $1 FOR UPDATE', [tenant.accountId]);
      await delay(LOCK_MS, undefined, { signal: end }).catch(() => undefined);
      await database.query('ROLLBACK');
    }
  };
  const body = aTransaction(tenant.accountId, { type: 'refund', amount: 1 });
  const creations = new Flood(url, end).atOnce(100, () => ({
    method: 'POST',
    path: '/v1/transactions',
    token: tenant.token,
    body,
  }));
  await holdLock();
  await database.end();
  return creations;
}

/** 200 presses at once on the button of one payment link, then on the next one. */
async function presses({ url, tenant }: Target, end: AbortSignal): Promise<Counts> {
  const flood = new Flood(url, end);
  let counts: Counts = {};
  while (!end.aborted) {
    await delay(200);
    const { status, body } = await tenant.api.post('/v1/payments', aPaymentRequest(tenant.accountId));
    if (status !== 201) continue;
    const path = new URL(body.payment_url as string).pathname;
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const press = { method: 'POST', path, body: 'pay=now', headers } as const;
    counts = await flood.together(Array.from({ length: 200 }, () => press));
  }
  return counts;
}

/** 20 endpoints, the most that an account has, which never let a request end or end it badly, and 10 events per second. */
async function hostileReceivers({ tenant, hostile }: Target, end: AbortSignal): Promise<Counts> {
  const names = Object.keys(behaviors) as (keyof typeof behaviors)[];
  const paths: string[] = [];
  for (let index = 0; index < 20; index += 1) {
    const url = hostile.urlOf(names[index % names.length]!);
    paths.push(`/v1/webhooks/${(await created(tenant.api, '/v1/webhooks', { url })).id}`);
  }
  while (!end.aborted) {
    await tenant.api.post('/v1/transactions', aTransaction(tenant.accountId));
    await delay(100, undefined, { signal: end }).catch(() => undefined);
  }
  for (const path of paths) await tenant.api.delete(path);
  return {};
}

/** Signed events that are large or have an unexpected shape, and events with a wrong signature. */
function processorEvents({ url, stripe }: Target, end: AbortSignal): Promise<Counts> {
  const events = oddEvents(stripe);
  return new Flood(url, end).atRate(50, (index) => {
    const event = events[index % events.length]!;
    const signature = stripe.sign(index % 10 === 0 ? `${event} ` : event);
    return {
      method: 'POST',
      path: '/v1/processors/stripe/events',
      body: event,
      headers: { 'stripe-signature': signature },
    };
  });
}
