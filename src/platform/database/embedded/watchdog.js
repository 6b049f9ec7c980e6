// @ts-check
'use strict';

/**
 * A small process between the service and the database server. It is the server's parent, it holds the
 * lock of the data folder, and it stops the server when the service ends in whatever way: the channel to
 * the service closes with the service. It has a session of its own, so Ctrl-C in a terminal reaches
 * neither it nor the server before the service has drained.
 *
 * Started in the folder that it has to lock. Messages of the service: `{ run }` starts the server, `{ stop }`
 * stops it. Messages to the service: see watchdog-process.ts.
 */
const { spawn } = require('node:child_process');
const fs = require('node:fs');
const { lockCurrentFolder } = require('./folder-lock.js');

const SERVICE_PID = process.ppid;
const WAIT_FOR_LEAVING_MS = 30_000;
/** For another watchdog to notice that its service has just died. */
const WAIT_FOR_NOTICING_MS = 2_000;
/** Fast shutdown, then an immediate one (the next start recovers), then the end of patience. */
const SHUTDOWN_STEPS = /** @type {const} */ ([
  ['SIGINT', 10_000],
  ['SIGQUIT', 8_000],
  ['SIGKILL', 2_000],
]);

/** @typedef {{ program: string, args: string[], env: NodeJS.ProcessEnv, uid?: number, gid?: number, log: string, stopCommand?: { program: string, args: string[] }, ownFolder?: string }} ServerCommand */

/** @type {import('node:child_process').ChildProcess | null} */
let server = null;
/** @type {ServerCommand | null} */
let command = null;
/** @type {() => void} */
let release = () => undefined;
let leaving = false;

/** @param {object} message */
function tell(message) {
  if (process.connected) process.send?.(message, () => undefined);
}

async function lock() {
  const since = performance.now();
  for (;;) {
    const outcome = await lockCurrentFolder(() => ({ servicePid: SERVICE_PID, leaving }));
    if (!outcome.heldBy) {
      release = outcome.release;
      return tell({ locked: true });
    }
    if (performance.now() - since >= patienceWith(outcome.heldBy)) return tell({ refused: outcome.heldBy });
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** A live service is refused at once; a dead one's server still has to write its data out.
 * @param {import('./folder-lock.js').LockAnswer} holder
 */
function patienceWith({ servicePid, leaving: isLeaving }) {
  if (isLeaving) return WAIT_FOR_LEAVING_MS;
  try {
    if (servicePid !== null) process.kill(servicePid, 0);
    return 0;
  } catch {
    // Dead, or in another container, or another user's: the answer will tell before long.
    return WAIT_FOR_NOTICING_MS;
  }
}

/** @param {ServerCommand} wanted */
function run(wanted) {
  command = wanted;
  const log = fs.openSync(wanted.log, 'a', 0o600);
  const { program, args, env, uid, gid } = wanted;
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
  const ended = (/** @type {string} */ how) => {
    if (server !== child) return;
    server = null;
    tell({ ended: how });
  };
  child.once('error', (error) => ended(error.message));
  child.once('exit', (code, signal) => ended(signal ? `was ended by ${signal}` : `ended with code ${code}`));
  if (child.pid !== undefined) tell({ started: child.pid });
}

async function stopServer() {
  const child = server;
  if (!child) return;
  const gone = new Promise((resolve) => child.once('exit', () => resolve(true)));
  for (const [signal, patience] of SHUTDOWN_STEPS) {
    // Windows has no signals: sending one there would end the server without a shutdown.
    if (command?.stopCommand && signal === 'SIGINT')
      spawn(command.stopCommand.program, command.stopCommand.args, { windowsHide: true });
    else child.kill(signal);
    const timeUp = new Promise((resolve) => setTimeout(() => resolve(false), patience));
    if (await Promise.race([gone, timeUp])) return;
  }
}

async function leave() {
  if (leaving) return;
  leaving = true;
  await stopServer();
  // Before the lock is released: afterwards the folder may be the next server's.
  if (command?.ownFolder) fs.rmSync(command.ownFolder, { recursive: true, force: true });
  release();
  process.exit(0);
}

process.title = 'countinghouse-database-watchdog';
// The service decides when the database ends; these reach the watchdog when a whole group is signalled.
for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP']))
  process.on(signal, () => undefined);
process.on('disconnect', leave);
process.on('message', (/** @type {{ run?: ServerCommand, stop?: true }} */ message) => {
  if (leaving) return;
  if (message.run) run(message.run);
  else void leave();
});
lock().catch((error) => tell({ failed: `${error.code ?? error.message}` }));
