// Starts three machines on loopback (cluster.sh) and the service, loses the leader ten times under load, restores a
// backup to a moment, and exits with 1 if an acknowledged creation is lost or doubled. Run `npm ci && npm run build`
// first, then `node deploy/ha/trial.mjs`. It needs the packages that cluster.sh names, and takes about a quarter of an
// hour; HA_ROUNDS sets how often the leader is lost, and HA_KEEP=1 leaves the machines running at the end.
import { execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import pg from 'pg';
import { Load } from './load.mjs';

const ROUNDS = Number(process.env.HA_ROUNDS ?? 10);
const LOAD_MS = 5000;
const RECOVERY_MS = 120_000;
const PORT = 3950;

const url = `http://localhost:${PORT}`;
const main = fileURLToPath(new URL('../../dist/src/main.js', import.meta.url));
const script = fileURLToPath(new URL('cluster.sh', import.meta.url));
const admin = { email: 'admin@example.com', password: randomBytes(12).toString('hex') };
const jwtSecret = randomBytes(32).toString('hex');

/** Runs cluster.sh. @returns what it printed */
const cluster = async (...args) => (await promisify(execFile)(script, args)).stdout.trim();
const say = (line) => console.log(`${new Date().toISOString().slice(11, 19)} ${line}`);
const seconds = (ms) => `${(ms / 1000).toFixed(1)} s`;

async function until(what, condition) {
  const deadline = performance.now() + RECOVERY_MS;
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`Not within ${seconds(RECOVERY_MS)}: ${what}.`);
    await delay(50);
  }
}

/** Starts the service or another command of it. */
function startService(databaseUrl, ...command) {
  const env = {
    PATH: process.env.PATH,
    DATABASE_URL: databaseUrl,
    JWT_SECRETS: jwtSecret,
    PORT: String(PORT),
    LOG_LEVEL: 'silent',
    BCRYPT_COST: '4',
    ACCESS_TOKEN_TTL: '86400',
    ADMIN_EMAIL: admin.email,
    ADMIN_PASSWORD: admin.password,
  };
  return spawn(process.execPath, [main, ...command], {
    env,
    stdio: ['ignore', command.length > 0 ? 'inherit' : 'ignore', 'inherit'],
  });
}

async function ready() {
  try {
    return (await fetch(`${url}/health/ready`)).ok;
  } catch {
    return false; // does not listen yet
  }
}

const verifyLedger = (databaseUrl) =>
  new Promise((resolve) => {
    startService(databaseUrl, 'ledger:verify').on('exit', (code) => resolve(code === 0));
  });

async function readRows(connectionString) {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    return (await client.query('SELECT id, reference FROM transactions')).rows;
  } finally {
    await client.end();
  }
}

/** Whether a machine confirms a write to those who connect to it directly, past HAProxy. */
async function confirmsWrites(node, round) {
  try {
    await cluster('write', node, `CREATE TABLE former_leader_${round} ()`);
    return true;
  } catch {
    return false;
  }
}

/**
 * Loses the leader again and again, by turns in two ways: its machine crashes, or it hangs and wakes up when another
 * one is the leader. @returns for how long no writes worked, by kind, and what former leaders confirmed
 */
async function loseLeaders(load) {
  const times = { crash: [], pause: [] };
  let confirmed = 0;
  for (let round = 1; round <= ROUNDS; round += 1) {
    await delay(LOAD_MS);
    const node = await cluster('leader');
    const kind = round % 2 === 1 ? 'crash' : 'pause';
    await cluster(kind, node);
    const lostAtMs = performance.now();
    await until('writes work again', () => load.lastSentAtMs > lostAtMs);
    const ms = performance.now() - lostAtMs;
    times[kind].push(ms);
    if (kind === 'crash') {
      await cluster('run', node);
    } else {
      await cluster('resume', node);
      if (await confirmsWrites(node, round)) confirmed += 1;
    }
    await cluster('await');
    const created = load.accounting.acknowledged.size;
    say(`round ${round}, ${kind} of ${node}: writes after ${seconds(ms)}; ${created} creations so far`);
  }
  return { times, confirmed };
}

/** Makes a backup and restores the state of a later moment to another server. @returns whether it is that state */
async function tryBackup(load, databaseUrl) {
  let startedAtMs = performance.now();
  await cluster('backup');
  say(`FIGURES full backup under load: ${seconds(performance.now() - startedAtMs)}`);
  await delay(LOAD_MS);
  await load.stop();
  const expected = load.keys;
  await delay(1000);
  const moment = new Date().toISOString().replace('T', ' ').replace('Z', '+00');
  await delay(1000);
  load.start();
  await delay(LOAD_MS);
  await load.stop();
  startedAtMs = performance.now();
  await cluster('restore', moment);
  const restoredUrl = databaseUrl.replace(':5000/', ':5001/');
  const { length } = await readRows(restoredUrl);
  say(`FIGURES restore to ${moment}: ${seconds(performance.now() - startedAtMs)}`);
  say(`FIGURES restored creations: ${length} of ${load.keys}, ${expected} expected`);
  return length === expected && (await verifyLedger(restoredUrl));
}

function reportTimes(what, times) {
  if (times.length === 0) return;
  const sorted = [...times].sort((a, b) => a - b);
  const median = sorted[Math.floor(sorted.length / 2)];
  const longest = sorted.at(-1);
  say(
    `FIGURES ${times.length} x ${what}: writes after ${seconds(median)} (median), ${seconds(longest)} (longest)`,
  );
}

/** @returns whether everything holds */
async function run(databaseUrl) {
  await until('the service is ready', ready);
  const load = await Load.prepare(url, admin);
  load.start();
  const { times, confirmed } = await loseLeaders(load);
  const restored = await tryBackup(load, databaseUrl);
  await load.repeatAll();
  const { acknowledged, unavailable, unexpected } = load.accounting;
  const counts = load.accounting.judge(await readRows(databaseUrl));
  const clean = await verifyLedger(databaseUrl);
  for (const kind of ['crash', 'pause']) reportTimes(kind, times[kind]);
  reportTimes('crash or pause', [...times.crash, ...times.pause]);
  say(
    `FIGURES ${acknowledged.size} creations, ${unavailable} responses of 503 or cut off; ${JSON.stringify(counts)}`,
  );
  say(`FIGURES writes that former leaders confirmed: ${confirmed}`);
  say(`FIGURES no faults in the journal: ${clean}; restored as it was: ${restored}`);
  for (const text of unexpected.slice(0, 5)) say(`UNEXPECTED ${text}`);
  return clean && restored && confirmed === 0 && Object.values(counts).every((count) => count === 0);
}

let service;
let started = false;
async function stop() {
  service?.kill('SIGKILL');
  if (started && !process.env.HA_KEEP) await cluster('stop');
}

if (!existsSync(main)) throw new Error('Run `npm run build` first.');
process.exitCode = 1;
for (const signal of ['SIGINT', 'SIGTERM'])
  process.once(signal, () => void stop().then(() => process.exit(1)));
try {
  const databaseUrl = /DATABASE_URL=(.*)/.exec(await cluster('start'))[1];
  started = true;
  service = startService(databaseUrl);
  if (await run(databaseUrl)) process.exitCode = 0;
} finally {
  await stop();
}
