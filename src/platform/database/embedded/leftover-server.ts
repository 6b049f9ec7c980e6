import { execFileSync, spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { EmbeddedPostgresError, systemErrorCode } from './embedded-postgres.error';
import type { PostgresBinaries } from './postgres-binaries';

/** What a server notes in its data folder, line by line. */
export interface ServerNote {
  readonly pid: number;
  readonly port: string;
  readonly socketFolder: string;
  readonly status: string;
}

export function readServerNote(cluster: string): ServerNote | undefined {
  try {
    const lines = fs.readFileSync(path.join(cluster, 'postmaster.pid'), 'utf8').split('\n');
    const line = (number: number): string => (lines[number - 1] ?? '').trim();
    return { pid: Number(line(1)), port: line(4), socketFolder: line(5), status: line(8) };
  } catch {
    return undefined;
  }
}

/**
 * Ends whatever still serves this cluster although its service and its watchdog are gone. Call under the
 * folder's lock: who holds it may, because no live service can be using such a server.
 */
export async function stopLeftoverServer(cluster: string, binaries: PostgresBinaries): Promise<void> {
  const note = readServerNote(cluster);
  if (process.platform === 'win32') return stopOnWindows(cluster, note !== undefined, binaries);
  if (note !== undefined && isServerOf(cluster, note.pid)) {
    const stopped =
      (await endAll(() => (isServerOf(cluster, note.pid) ? [note.pid] : []), 'SIGINT', 10_000)) ||
      (await endAll(() => (isServerOf(cluster, note.pid) ? [note.pid] : []), 'SIGQUIT', 8_000));
    if (!stopped) throw cannotStop(cluster, note.pid);
  }
  // Children of a server that was killed end by themselves, but not before a running query does; until then
  // they keep the shared memory, and no new server starts.
  const orphans = (): number[] => processesIn(cluster);
  const ended = (await endAll(orphans, 'SIGQUIT', 1_000)) || (await endAll(orphans, 'SIGKILL', 3_000));
  if (!ended) throw cannotStop(cluster, orphans()[0] ?? 0);
  // The pid in a note left by a crash may meanwhile be any process's (in a container it often is), and the new
  // server would take that process for its predecessor.
  fs.rmSync(path.join(cluster, 'postmaster.pid'), { force: true });
}

const cannotStop = (cluster: string, pid: number): EmbeddedPostgresError =>
  new EmbeddedPostgresError(
    `A database server left over in ${cluster} does not end: end the process ${pid}, then start again.`,
  );

async function endAll(find: () => number[], signal: NodeJS.Signals, patience: number): Promise<boolean> {
  const deadline = performance.now() + patience;
  for (const pid of find()) send(signal, pid);
  while (find().length > 0) {
    if (performance.now() > deadline) return false;
    await pause(20);
  }
  return true;
}

function send(signal: NodeJS.Signals, pid: number): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (systemErrorCode(error) !== 'ESRCH') throw error;
  }
}

/** Pids are reused, so the process has to show that it serves this cluster: a server works in its data folder. */
function isServerOf(cluster: string, pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 1) return false;
  if (process.platform === 'linux') return worksIn(cluster, pid);
  try {
    // macOS, untried: the main process keeps the command line that it was started with.
    const commandLine = execFileSync('ps', ['-o', 'args=', '-p', String(pid)], { encoding: 'utf8' });
    return commandLine.includes('postgres') && commandLine.includes(cluster);
  } catch {
    return false;
  }
}

function processesIn(cluster: string): number[] {
  if (process.platform !== 'linux') return [];
  return fs
    .readdirSync('/proc')
    .map(Number)
    .filter((pid) => pid > 1 && worksIn(cluster, pid));
}

function worksIn(cluster: string, pid: number): boolean {
  try {
    return (
      fs.readlinkSync(`/proc/${pid}/cwd`) === cluster &&
      fs.readFileSync(`/proc/${pid}/comm`, 'utf8').startsWith('postgres')
    );
  } catch {
    // It ended meanwhile, or it is another user's and so not ours.
    return false;
  }
}

/** Untried on Windows. */
function stopOnWindows(cluster: string, hasNote: boolean, { pgCtl }: PostgresBinaries): void {
  if (hasNote)
    spawnSync(pgCtl, ['stop', '-D', cluster, '-m', 'fast', '-w', '-t', '20'], {
      stdio: 'ignore',
      windowsHide: true,
    });
}
