// @ts-check
'use strict';

/**
 * Exclusive use of the current folder, for as long as this process lives.
 *
 * The lock is a listening socket in the folder. The kernel closes it together with its process, however
 * that ends, so there is nothing to expire; a process id in a file would be fooled by a reused id, and
 * could not be looked up from another container. Everyone who sees the folder on the same machine can
 * knock at the socket, in whatever container; a folder shared between machines is not covered.
 *
 * Plain JavaScript, because a separate process runs it from the sources and from the build alike.
 */
const { createHash, randomBytes } = require('node:crypto');
const fs = require('node:fs');
const net = require('node:net');

const LOCK_NAME = /^server-[0-9a-f]{12}\.lock$/;
const ANSWER_TIMEOUT_MS = 2000;

/**
 * What a lock answers to everyone who knocks.
 * @typedef {{ held: boolean, servicePid: number | null, leaving: boolean }} LockAnswer
 * @typedef {{ heldBy: LockAnswer } | { heldBy: null, release: () => void }} LockOutcome
 */

/**
 * Of several that try at once exactly one gets the lock: each first opens its own socket and only then
 * looks for others, so of two at least one sees the other. When both do, both step back for a random time.
 * @param {() => { servicePid: number, leaving: boolean }} describe
 * @returns {Promise<LockOutcome>}
 */
async function lockCurrentFolder(describe) {
  for (;;) {
    const other = await findLiving(null);
    if (other?.held) return { heldBy: other };
    if (!other) {
      const own = await openLock(describe);
      if (own && !(await findLiving(own.name))) {
        own.take();
        return { heldBy: null, release: own.close };
      }
      own?.close();
    }
    await new Promise((resolve) => setTimeout(resolve, 10 + Math.random() * 90));
  }
}

/**
 * @param {() => { servicePid: number, leaving: boolean }} describe
 * @returns {Promise<{ name: string, take: () => void, close: () => void } | null>} null: taken (Windows only)
 */
function openLock(describe) {
  let held = false;
  const name = process.platform === 'win32' ? pipeName() : `server-${randomBytes(6).toString('hex')}.lock`;
  const server = net.createServer((caller) => {
    caller.on('error', () => undefined);
    caller.end(JSON.stringify({ held, ...describe() }));
  });
  const take = () => {
    held = true;
    for (const dead of lockNames(name)) fs.rmSync(dead, { force: true });
  };
  const close = () => void server.close();
  return new Promise((resolve, reject) => {
    server.once('error', (/** @type {NodeJS.ErrnoException} */ error) =>
      error.code === 'EADDRINUSE' ? resolve(null) : reject(error),
    );
    server.listen(name, () => resolve({ name, take, close }));
  });
}

/**
 * @param {string | null} own
 * @returns {Promise<LockAnswer | null>}
 */
async function findLiving(own) {
  const names = process.platform === 'win32' ? (own ? [] : [pipeName()]) : lockNames(own);
  const answers = await Promise.all(names.map(knock));
  return answers.find((answer) => answer?.held) ?? answers.find((answer) => answer !== null) ?? null;
}

/**
 * @param {string} name
 * @returns {Promise<LockAnswer | null>} null: nobody lives there any more
 */
function knock(name) {
  return new Promise((resolve) => {
    let text = '';
    const silent = { held: true, servicePid: null, leaving: false };
    const caller = net.connect(name);
    caller.setTimeout(ANSWER_TIMEOUT_MS, () => {
      // A stopped process still holds its lock.
      resolve(silent);
      caller.destroy();
    });
    caller.on('data', (chunk) => (text += chunk));
    caller.on('end', () => resolve(text ? JSON.parse(text) : null));
    caller.on('error', (/** @type {NodeJS.ErrnoException} */ error) => {
      const gone = ['ECONNREFUSED', 'ENOENT', 'ECONNRESET', 'EPIPE'].includes(error.code ?? '');
      resolve(gone ? null : silent);
    });
  });
}

/** @param {string | null} own */
function lockNames(own) {
  if (process.platform === 'win32') return [];
  return fs.readdirSync('.').filter((name) => LOCK_NAME.test(name) && name !== own);
}

/** On Windows the system itself gives a pipe name to one process only. Untried there. */
function pipeName() {
  const folder = fs.realpathSync.native('.').toLowerCase();
  return `\\\\.\\pipe\\countinghouse-${createHash('sha256').update(folder).digest('hex').slice(0, 32)}`;
}

module.exports = { lockCurrentFolder };
