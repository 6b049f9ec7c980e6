import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from './processes.mjs';

/**
 * Runs a script of bench/rivals.
 * @param connections how many run it at a time
 * @param options further arguments @returns the transactions per second and their latencies in milliseconds, ascending
 */
export async function pgbench(url, script, variables, connections, options) {
  const folder = mkdtempSync(join(tmpdir(), 'countinghouse-pgbench-'));
  try {
    const defined = Object.entries(variables).flatMap(([name, value]) => ['-D', `${name}=${value}`]);
    const threads = Math.min(2, connections);
    const common = [
      '-n',
      '-M',
      'prepared',
      '-c',
      connections,
      '-j',
      threads,
      '-l',
      '--log-prefix',
      join(folder, 'log'),
    ];
    const args = [...common, ...defined, ...options, '-f', join(root, 'bench', 'rivals', script), url];
    const output = await run('pgbench', args);
    const latencies = readdirSync(folder)
      .flatMap((file) => readFileSync(join(folder, file), 'utf8').trim().split('\n'))
      .map((line) => Number(line.split(' ')[2]) / 1000)
      .sort((a, b) => a - b);
    return { perSecond: Number(/^tps = ([\d.]+)/m.exec(output)[1]), latencies };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function run(command, args) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    const output = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr']) child[name].on('data', (data) => (output[name] += data));
    child.once('error', reject);
    child.once('exit', (code) => {
      if (code === 0) resolve(output.stdout);
      else reject(new Error(`${command} failed: ${output.stderr.slice(0, 500)}`));
    });
  });
}
