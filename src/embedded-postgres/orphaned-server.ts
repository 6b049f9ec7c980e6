import { execFileSync, spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { EmbeddedPostgresError, systemErrorCode } from './embedded-postgres.error';
import type { PostgresBinaries } from './postgres-binaries';

/** The content of postmaster.pid, which a running server keeps in its data directory. */
export interface PostmasterPid {
  readonly pid: number;
  readonly port: string;
  readonly socketFolder: string;
  readonly status: string;
}

/** @returns undefined when the file does not exist */
export function readPostmasterPid(cluster: string): PostmasterPid | undefined {
  try {
    const lines = fs.readFileSync(path.join(cluster, 'postmaster.pid'), 'utf8').split('\n');
    const line = (number: number): string => (lines[number - 1] ?? '').trim();
    return { pid: Number(line(1)), port: line(4), socketFolder: line(5), status: line(8) };
  } catch {
    return undefined;
  }
}

/**
 * Stops a server of this cluster whose service and watchdog no longer run. The caller must hold the folder lock, which
 * ensures that no running service uses the server.
 * @throws EmbeddedPostgresError when the server does not stop
 */
export async function stopOrphanedServer(cluster: string, binaries: PostgresBinaries): Promise<void> {
  const postmaster = readPostmasterPid(cluster);
  if (process.platform === 'win32') return stopOnWindows(cluster, postmaster !== undefined, binaries);
  if (postmaster !== undefined && servesCluster(cluster, postmaster.pid)) {
    const find = (): number[] => (servesCluster(cluster, postmaster.pid) ? [postmaster.pid] : []);
    const stopped = (await stopAll(find, 'SIGINT', 10_000)) || (await stopAll(find, 'SIGQUIT', 8_000));
    if (!stopped) throw cannotStop(cluster, postmaster.pid);
  }
  // The child processes of a killed server exit only after their current query. Until then they keep the shared memory,
  // and no new server can start.
  const children = (): number[] => processesIn(cluster);
  const stopped = (await stopAll(children, 'SIGQUIT', 1_000)) || (await stopAll(children, 'SIGKILL', 3_000));
  if (!stopped) throw cannotStop(cluster, children()[0] ?? 0);
  // After a crash, another process may have the pid in the file, particularly in a container. The new server would
  // mistake that process for a running server.
  fs.rmSync(path.join(cluster, 'postmaster.pid'), { force: true });
}

const cannotStop = (cluster: string, pid: number): EmbeddedPostgresError =>
  new EmbeddedPostgresError(
    `An orphaned database server in ${cluster} does not stop: end the process ${pid}, then start again.`,
  );

/** Sends a signal and waits. @returns whether all processes have exited within the timeout */
async function stopAll(find: () => number[], signal: NodeJS.Signals, timeoutMs: number): Promise<boolean> {
  const deadline = performance.now() + timeoutMs;
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

/** Checks that the process serves this cluster, because pids are reused. The cwd of a server is its data directory. */
function servesCluster(cluster: string, pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 1) return false;
  if (process.platform === 'linux') return runsIn(cluster, pid);
  try {
    // macOS, not tested: the main process keeps its original command line.
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
    .filter((pid) => pid > 1 && runsIn(cluster, pid));
}

function runsIn(cluster: string, pid: number): boolean {
  try {
    return (
      fs.readlinkSync(`/proc/${pid}/cwd`) === cluster &&
      fs.readFileSync(`/proc/${pid}/comm`, 'utf8').startsWith('postgres')
    );
  } catch {
    // The process has exited or belongs to another user.
    return false;
  }
}

/** Not tested on Windows. */
function stopOnWindows(cluster: string, hasPidFile: boolean, { pgCtl }: PostgresBinaries): void {
  if (hasPidFile)
    spawnSync(pgCtl, ['stop', '-D', cluster, '-m', 'fast', '-w', '-t', '20'], {
      stdio: 'ignore',
      windowsHide: true,
    });
}
