// Starts the built service under this version of Node.js on a new data folder, asks it whether it is ready, for the console
// and for a guide, whose files it finds from its build, and stops it with SIGTERM.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const GIVE_UP_AFTER_MS = 240_000;

const folder = mkdtempSync(join(tmpdir(), 'countinghouse-start-'));
// For root, the server runs as another user, who must be able to enter the folder.
chmodSync(folder, 0o711);
const service = spawn(process.execPath, ['scripts/start.mjs'], {
  env: { ...process.env, NODE_ENV: '', PORT: '0', DATA_DIR: join(folder, 'data'), DATABASE_URL: '' },
  stdio: ['ignore', 'pipe', 'inherit'],
});
const deadline = setTimeout(() => service.kill('SIGKILL'), GIVE_UP_AFTER_MS);
const ended = once(service, 'exit');

let url;
for await (const line of createInterface({ input: service.stdout })) {
  url = /listens on (\S+)/.exec(line)?.[1];
  if (url) break;
}
const statuses = {};
for (const path of ['/health/ready', '/console', '/docs/guides/webhooks'])
  statuses[path] = url && (await fetch(`${url}${path}`)).status;
service.kill('SIGTERM');
const [code] = await ended;
clearTimeout(deadline);
rmSync(folder, { recursive: true, force: true });

if (Object.values(statuses).every((status) => status === 200) && code === 0) {
  console.log(`The service started and stopped under Node.js ${process.version}.`);
} else {
  console.error(`Under Node.js ${process.version}: ${JSON.stringify(statuses)}, exit code ${code}.`);
  process.exitCode = 1;
}
