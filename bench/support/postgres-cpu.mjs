import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Linux counts CPU time in /proc in hundredths of a second. */
const TICK_MS = 10;

/** @returns the fields of /proc/<pid>/stat after the name of the program, which may contain spaces */
function statOf(pid) {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1).split(' ');
  } catch {
    return undefined; // the process has ended
  }
}

/**
 * The CPU time of a PostgreSQL on this machine so far, in milliseconds: of all its processes, also of those that have
 * ended. Only on Linux.
 */
export async function postgresCpuMs(client) {
  const { rows } = await client.query('SHOW data_directory');
  const [postmaster] = readFileSync(join(rows[0].data_directory, 'postmaster.pid'), 'utf8').split('\n');
  const processes = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => ({ pid, stat: statOf(pid) }));
  const times = processes.flatMap(({ pid, stat }) => {
    if (stat === undefined) return [];
    const [, parent, ...rest] = stat;
    const [user, system, childUser, childSystem] = rest.slice(9, 13).map(Number);
    if (pid === postmaster) return [user + system + childUser + childSystem];
    return parent === postmaster ? [user + system] : [];
  });
  return times.reduce((sum, ticks) => sum + ticks, 0) * TICK_MS;
}
