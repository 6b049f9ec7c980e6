// @ts-check
'use strict';

/**
 * The process between the service and the database server. It locks the data folder, is the parent of the server, and
 * stops the server when the service ends for any reason: the IPC channel closes together with the service. It runs in
 * its own session, so that Ctrl-C in a terminal does not stop the database before the service has shut down.
 *
 * Its working directory is the folder to lock. The service sends `{ run }` to start the server and `{ stop }` to stop
 * it. The messages to the service are described in watchdog-process.ts.
 */
const { spawn } = require('node:child_process');
const fs = require('node:fs');
const { lockCurrentFolder } = require('./folder-lock.js');

const SERVICE_PID = process.ppid;
/** How long to wait for another watchdog that is shutting down. */
const SHUTDOWN_TIMEOUT_MS = 30_000;
/** How long to wait for another watchdog to notice that its service has ended. */
const DETECTION_TIMEOUT_MS = 2_000;
/** Fast shutdown; then immediate shutdown, after which the next start runs recovery; then kill. Times in ms. */
const SHUTDOWN_SIGNALS = /** @type {const} */ ([
  ['SIGINT', 10_000],
  ['SIGQUIT', 8_000],
  ['SIGKILL', 2_000],
]);

/** @typedef {{ program: string, args: string[], env: NodeJS.ProcessEnv, uid?: number, gid?: number, log: string, stopCommand?: { program: string, args: string[] }, socketFolder?: string, temporary?: boolean, sharing?: { url: string, lock: number, idleSeconds: number } }} ServerCommand */

/** @type {import('node:child_process').ChildProcess | null} */
let server = null;
/** @type {ServerCommand | null} */
let command = null;
/** @type {() => void} */
let release = () => undefined;
let shuttingDown = false;

/** @param {object} message */
function notify(message) {
  if (process.connected) process.send?.(message, () => undefined);
}

async function lock() {
  const since = performance.now();
  for (;;) {
    const outcome = await lockCurrentFolder(() => ({ servicePid: SERVICE_PID, shuttingDown }));
    if (!outcome.heldBy) {
      release = outcome.release;
      return notify({ locked: true });
    }
    if (performance.now() - since >= timeoutFor(outcome.heldBy)) return notify({ lockedBy: outcome.heldBy });
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/**
 * Returns how long to wait for the lock: 0 while the holder's service is running; otherwise its server is still shutting
 * down.
 * @param {import('./folder-lock.js').LockResponse} holder
 */
function timeoutFor(holder) {
  if (holder.shuttingDown) return SHUTDOWN_TIMEOUT_MS;
  try {
    if (holder.servicePid !== null) process.kill(holder.servicePid, 0);
    return 0;
  } catch {
    // The service has ended, or it runs in another container or as another user.
    return DETECTION_TIMEOUT_MS;
  }
}

/** @param {ServerCommand} serverCommand */
function run(serverCommand) {
  command = serverCommand;
  const log = fs.openSync(serverCommand.log, 'a', 0o600);
  const { program, args, env, uid, gid } = serverCommand;
  const child = spawn(program, args, {
    env,
    uid,
    gid,
    cwd: '/',
    stdio: ['ignore', log, log],
    windowsHide: true,
  });
  fs.closeSync(log);
  server = child;
  const ended = (/** @type {string} */ reason) => {
    if (server !== child) return;
    server = null;
    notify({ ended: reason });
  };
  child.once('error', (error) => ended(error.message));
  child.once('exit', (code, signal) =>
    ended(signal ? `was killed by ${signal}` : `exited with code ${code}`),
  );
  if (child.pid !== undefined) notify({ started: child.pid });
}

async function stopServer() {
  const child = server;
  if (!child) return;
  const exited = new Promise((resolve) => child.once('exit', () => resolve(true)));
  for (const [signal, timeoutMs] of SHUTDOWN_SIGNALS) {
    // Windows has no signals: `kill` would terminate the server without a shutdown.
    if (command?.stopCommand && signal === 'SIGINT')
      spawn(command.stopCommand.program, command.stopCommand.args, { windowsHide: true });
    else child.kill(signal);
    const timedOut = new Promise((resolve) => setTimeout(() => resolve(false), timeoutMs));
    if (await Promise.race([exited, timedOut])) return;
  }
}

/** Waits until nobody has used a shared server for a while, and lets nobody begin. */
async function untilUnused() {
  if (!command?.sharing || !server) return;
  const { url, lock: key, idleSeconds } = command.sharing;
  const { Client } = require('pg');
  const client = new Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  for (let idle = 0; idle < idleSeconds;) {
    await new Promise((resolve) => setTimeout(resolve, 1000));
    const { rows } = await client.query('SELECT pg_try_advisory_lock($1) AS free', [key]);
    idle = rows[0].free ? idle + 1 : 0;
    if (rows[0].free && idle < idleSeconds) await client.query('SELECT pg_advisory_unlock($1)', [key]);
  }
}

async function shutDown() {
  if (shuttingDown) return;
  shuttingDown = true;
  await stopServer();
  // Removed before the lock is released, because the next server may use the same folder.
  if (command?.socketFolder) fs.rmSync(command.socketFolder, { recursive: true, force: true });
  if (command?.temporary) fs.rmSync(process.cwd(), { recursive: true, force: true });
  release();
  process.exit(0);
}

process.title = 'countinghouse-database-watchdog';
// Only the service stops the database. These signals arrive when a whole process group is signaled.
for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP']))
  process.on(signal, () => undefined);
// Without a server to ask, nobody uses it.
process.on(
  'disconnect',
  () =>
    void untilUnused()
      .catch(() => undefined)
      .then(shutDown),
);
process.on('message', (/** @type {{ run?: ServerCommand, stop?: true }} */ message) => {
  if (shuttingDown) return;
  if (message.run) run(message.run);
  else void shutDown();
});
lock().catch((error) => notify({ failed: `${error.code ?? error.message}` }));
