// @ts-check
'use strict';

/**
 * An exclusive lock on the current folder, held until this process ends.
 *
 * The lock is a listening Unix domain socket in the folder. The kernel closes it when the process ends for any reason,
 * so it never has to expire. A pid in a file would be ambiguous, because pids are reused and differ between containers;
 * the socket can be reached from any container on the machine. Folders shared between machines are not supported.
 *
 * Written in JavaScript, because it runs in a separate process, from the sources in tests and from the build elsewhere.
 */
const { createHash, randomBytes } = require('node:crypto');
const fs = require('node:fs');
const net = require('node:net');

const LOCK_NAME = /^server-[0-9a-f]{12}\.lock$/;
const RESPONSE_TIMEOUT_MS = 2000;

/**
 * The response of a lock's socket to every connection.
 * @typedef {{ held: boolean, servicePid: number | null, shuttingDown: boolean }} LockResponse
 * @typedef {{ heldBy: LockResponse } | { heldBy: null, release: () => void }} LockOutcome
 */

/**
 * Exactly one of several concurrent processes acquires the lock. Each opens its own socket before it looks for others,
 * so at least one of two processes finds the other. If both do, both close their sockets and retry after a random delay.
 * @param {() => { servicePid: number, shuttingDown: boolean }} describe
 * @returns {Promise<LockOutcome>}
 */
async function lockCurrentFolder(describe) {
  for (;;) {
    const other = await findHolder(null);
    if (other?.held) return { heldBy: other };
    if (!other) {
      const own = await openLock(describe);
      if (own && !(await findHolder(own.name))) {
        own.acquire();
        return { heldBy: null, release: own.close };
      }
      own?.close();
    }
    await new Promise((resolve) => setTimeout(resolve, 10 + Math.random() * 90));
  }
}

/**
 * @param {() => { servicePid: number, shuttingDown: boolean }} describe
 * @returns {Promise<{ name: string, acquire: () => void, close: () => void } | null>} null when the name is in use (Windows only)
 */
function openLock(describe) {
  let held = false;
  const name = process.platform === 'win32' ? pipeName() : `server-${randomBytes(6).toString('hex')}.lock`;
  const server = net.createServer((connection) => {
    connection.on('error', () => undefined);
    connection.end(JSON.stringify({ held, ...describe() }));
  });
  const acquire = () => {
    held = true;
    for (const stale of lockNames(name)) fs.rmSync(stale, { force: true });
  };
  const close = () => void server.close();
  return new Promise((resolve, reject) => {
    server.once('error', (/** @type {NodeJS.ErrnoException} */ error) =>
      error.code === 'EADDRINUSE' ? resolve(null) : reject(error),
    );
    server.listen(name, () => resolve({ name, acquire, close }));
  });
}

/**
 * Looks for a process that holds the lock, or else for one that is trying to acquire it.
 * @param {string | null} own the name of this process's socket
 * @returns {Promise<LockResponse | null>}
 */
async function findHolder(own) {
  const names = process.platform === 'win32' ? (own ? [] : [pipeName()]) : lockNames(own);
  const responses = await Promise.all(names.map(probe));
  return (
    responses.find((response) => response?.held) ?? responses.find((response) => response !== null) ?? null
  );
}

/**
 * @param {string} name
 * @returns {Promise<LockResponse | null>} null when no process listens on the socket
 */
function probe(name) {
  return new Promise((resolve) => {
    let text = '';
    const unresponsive = { held: true, servicePid: null, shuttingDown: false };
    const socket = net.connect(name);
    socket.setTimeout(RESPONSE_TIMEOUT_MS, () => {
      // A suspended process does not respond but still holds the lock.
      resolve(unresponsive);
      socket.destroy();
    });
    socket.on('data', (chunk) => (text += chunk));
    socket.on('end', () => resolve(text ? JSON.parse(text) : null));
    socket.on('error', (/** @type {NodeJS.ErrnoException} */ error) => {
      const closed = ['ECONNREFUSED', 'ENOENT', 'ECONNRESET', 'EPIPE'].includes(error.code ?? '');
      resolve(closed ? null : unresponsive);
    });
  });
}

/** @param {string | null} own */
function lockNames(own) {
  if (process.platform === 'win32') return [];
  return fs.readdirSync('.').filter((name) => LOCK_NAME.test(name) && name !== own);
}

/** Windows assigns the name of a pipe to one process only. Not tested on Windows. */
function pipeName() {
  const folder = fs.realpathSync.native('.').toLowerCase();
  return `\\\\.\\pipe\\countinghouse-${createHash('sha256').update(folder).digest('hex').slice(0, 32)}`;
}

module.exports = { lockCurrentFolder };
