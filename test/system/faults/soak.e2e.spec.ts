import { Client } from 'pg';
import { Api } from '../../support/api';
import { anOwner, created, Owner, theAdmin } from '../../support/people';
import { aTransaction } from '../../support/request-bodies';
import { StripeDouble } from '../../support/stripe-double';
import { HostileReceiver } from '../../modules/events/webhooks/hostile-receiver';
import { isLong, report, wait } from './support/form';
import { Installation } from './support/service-process';
import { attacks, Target } from './support/soak/attacks';
import { HonestClients } from './support/soak/honest-clients';
import { sampleOf } from './support/soak/process-sample';
import { attackTable, phaseHeading, phaseRow } from './support/soak/tables';
import { attacksOf, Bounds, faultsOf, memoryOf, Phase } from './support/soak/verdict';

/**
 * A soak test: honest clients at a constant rate, and attacks in turn with a quiet phase before and after each. Memory
 * stays flat, no connection is leaked, and the honest clients are served as in the quiet phases.
 */
const MINUTES = Number(process.env['CHECK_MINUTES'] ?? (isLong ? 60 : 0.75));

/** The attacks whose names contain CHECK_ATTACK. */
const ATTACKS = Object.keys(attacks).filter((name) => name.includes(process.env['CHECK_ATTACK'] ?? ''));

/** The duration of one round of all attacks in a long run: a minute for each, and a quiet minute. */
const MINUTES_PER_ROUND = 2 * ATTACKS.length;
const ROUNDS = Math.max(1, Math.round(MINUTES / MINUTES_PER_ROUND));
const PHASES = ROUNDS * ATTACKS.length * 2 + 1;
const PHASE_MS = (MINUTES * 60_000) / PHASES;

/** In a short run, memory is still growing to its size, and a p99 is the slowest of some requests. */
const BOUNDS: Bounds =
  MINUTES >= MINUTES_PER_ROUND
    ? { memoryGrowth: 1.25, slowdown: 5, negligibleMs: 250, limited: 0.01 }
    : { memoryGrowth: 2, slowdown: 20, negligibleMs: 2000, limited: 0.1 };

/** What the tenant that attacks has stored, for its slow lists. */
const STORED = isLong ? 5000 : 300;
const STORED_AT_ONCE = 16;
/** Keeps them below the limit of requests of one token. */
const STORED_EVERY_MS = 25;

const HOST = '127.0.0.1';

/** The limits of production. NODE_ENV is not, because it takes no test keys of Stripe. */
const SETTINGS = {
  LISTEN_ADDRESS: HOST,
  RATE_LIMIT_PER_SECOND: '1000',
  SIGN_UP_LIMIT: '100',
  BCRYPT_COST: '10',
};

const TIMEOUT_MS = MINUTES * 60_000 * 1.5 + 5 * 60_000;
jest.setTimeout(TIMEOUT_MS);

let installation: Installation;
let stripe: StripeDouble;
let hostile: HostileReceiver;

beforeEach(async () => {
  installation = Installation.create();
  stripe = await StripeDouble.start();
  hostile = await HostileReceiver.start();
});
afterEach(async () => {
  await installation.remove();
  await stripe.stop();
  await hostile.stop();
});

/** Other systems than Linux have one loopback address only, and no list of open sockets under /proc. */
const onLinux = process.platform === 'linux' ? it : it.skip;

onLinux(`${MINUTES} minutes of honest requests and attacks in turn`, async () => {
  const service = installation.start({ ...SETTINGS, ...stripe.env });
  const url = (await service.url).replace('localhost', HOST);
  const tenant = await aTenant(await Api.of(url));
  const load = await HonestClients.start(url);
  const database = await installation.connect();
  const target = { url, emails: load.emails, tenant, stripe, hostile, installation };
  const measure = (name: string | null): Promise<Phase> =>
    phaseOf({ name, target, load, pid: service.pid, database });

  print(phaseHeading);
  const phases: Phase[] = [];
  const add = (phase: Phase): void => {
    print(phaseRow(phases.push(phase), phase));
    for (const failure of new Set(phase.failures)) print(`Failed: ${failure}\n`);
  };
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const name of ATTACKS) {
      add(await measure(null));
      add(await measure(name));
    }
  }
  add(await measure(null));
  await load.stop();
  await database.end();

  print(`\n${attackTable(attacksOf(phases))}`);
  const { code, verdict } = await installation.verify();
  report('soak', { minutes: MINUTES, memoryMb: memoryOf(phases), calls: stripe.calls.length, verdict });
  expect(faultsOf(phases, BOUNDS)).toEqual([]);
  expect({ code, verdict }).toEqual({ code: 0, verdict: expect.stringContaining('no faults found') });
  expect(await service.signal('SIGTERM')).toEqual({ code: 0, signal: null });
});

interface Setup {
  /** The attack, or null for a quiet phase. */
  readonly name: string | null;
  readonly target: Target;
  readonly load: HonestClients;
  readonly pid: number;
  readonly database: Client;
}

/** Lets one phase pass and measures it at its end, while the attack is still going on. */
async function phaseOf({ name, target, load, pid, database }: Setup): Promise<Phase> {
  const end = new AbortController();
  const responses = name === null ? Promise.resolve({}) : attacks[name]!(target, end.signal);
  responses.catch(() => undefined); // awaited below
  await wait(PHASE_MS);
  const sample = await sampleOf(pid, database);
  end.abort();
  const attackResponses = await responses;
  return { attack: name, attackResponses, ...sample, ...(await load.nextPeriod()) };
}

/** An account with a balance and many transactions. */
async function aTenant(api: Api): Promise<Owner> {
  const tenant = await anOwner(api);
  const funds = aTransaction(tenant.accountId, { type: 'credit', amount: 1_000_000_000 });
  await created((await theAdmin(api)).api, '/v1/transactions', funds);
  const body = aTransaction(tenant.accountId);
  const indices = Array.from({ length: STORED }).keys();
  const connection = async (): Promise<void> => {
    for (const _ of indices)
      await Promise.all([created(tenant.api, '/v1/transactions', body), wait(STORED_EVERY_MS)]);
  };
  await Promise.all(Array.from({ length: STORED_AT_ONCE }, connection));
  return tenant;
}

function print(text: string): void {
  if (isLong) process.stderr.write(text);
}
