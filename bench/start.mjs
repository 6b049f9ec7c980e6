// Measures how long the service takes to start and how much memory it holds at rest: `npm run bench:start`.
import { spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { root } from './support/processes.mjs';

const { values } = parseArgs({
  options: {
    starts: { type: 'string', default: '5' },
    rest: { type: 'string', default: '60' },
    against: { type: 'string' },
  },
});
const STARTS = Number(values.starts);
const REST_SECONDS = Number(values.rest);
const PORT = '3905';

/** A checkout with a data folder of its own. The first start creates its database. */
class Checkout {
  constructor(name, folder) {
    this.name = name;
    this.folder = folder;
    this.home = mkdtempSync(join(tmpdir(), 'countinghouse-start-'));
    // For root, the embedded PostgreSQL runs as another user, who must be able to enter the folder.
    chmodSync(this.home, 0o711);
    this.seconds = [];
  }

  async start() {
    const startedAt = performance.now();
    const child = spawn(process.execPath, ['--max-semi-space-size=32', 'scripts/start.mjs'], {
      cwd: this.folder,
      env: { ...process.env, PORT, DATA_DIR: join(this.home, 'data'), LOG_LEVEL: 'silent' },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const exited = new Promise((resolve) => child.once('exit', resolve));
    const listening = new Promise((resolve) =>
      child.stdout.on('data', (text) => String(text).includes('listens on') && resolve(true)),
    );
    if (!(await Promise.race([listening, exited.then(() => false)]))) throw new Error('It did not start.');
    return {
      seconds: (performance.now() - startedAt) / 1000,
      pid: child.pid,
      stop: async () => {
        child.kill('SIGTERM');
        await exited;
      },
    };
  }

  remove() {
    rmSync(this.home, { recursive: true, force: true });
  }
}

/** The resident memory of a process, and its part that is no file, in megabytes. Linux only. */
function memoryOf(pid) {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const megabytes = (name) => Math.round(Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)[1]) / 1024);
  return { resident: megabytes('VmRSS'), anonymous: megabytes('RssAnon') };
}

const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];

const checkouts = [new Checkout('this checkout', root)];
if (values.against) checkouts.push(new Checkout(values.against, values.against));
try {
  for (const checkout of checkouts) {
    await (await checkout.start()).stop(); // builds the service
    rmSync(join(checkout.home, 'data'), { recursive: true, force: true });
    const first = await checkout.start();
    checkout.first = first.seconds;
    await first.stop();
  }
  for (let round = 0; round < STARTS; round += 1) {
    for (const checkout of checkouts) {
      const service = await checkout.start();
      checkout.seconds.push(service.seconds);
      await service.stop();
    }
  }
  console.log(
    '|  | first start s | median of the others s | longest s | memory at rest MB | without files MB |',
  );
  console.log('| --- | --- | --- | --- | --- | --- |');
  for (const checkout of checkouts) {
    const service = await checkout.start();
    await delay(REST_SECONDS * 1000);
    const { resident, anonymous } = memoryOf(service.pid);
    await service.stop();
    const times = [checkout.first, median(checkout.seconds), Math.max(...checkout.seconds)];
    const cells = [checkout.name, ...times.map((time) => time.toFixed(2)), resident, anonymous];
    console.log(`| ${cells.join(' | ')} |`);
  }
} finally {
  for (const checkout of checkouts) checkout.remove();
}
