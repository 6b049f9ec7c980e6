// Starts the service under this Node on a new data folder, asks whether it is ready, and ends it as an operator would.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const GIVE_UP_AFTER_MS = 90_000;

const folder = mkdtempSync(join(tmpdir(), 'countinghouse-start-'));
// Passable for others: run by root the server is another user's, who would keep the data elsewhere, for good.
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
const ready = url && (await fetch(`${url}/health/ready`)).status;
service.kill('SIGTERM');
const [code] = await ended;
clearTimeout(deadline);
rmSync(folder, { recursive: true, force: true });

if (ready === 200 && code === 0) {
  console.log(`It was ready under Node ${process.version}, and ended well.`);
} else {
  console.error(`Under Node ${process.version} it answered ${ready} and ended with ${code}.`);
  process.exitCode = 1;
}
