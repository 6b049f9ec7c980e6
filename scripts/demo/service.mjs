/* global AbortSignal */
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** Whether a service responds there. @throws Error if something else responds there */
export async function respondsAt(baseUrl) {
  let response;
  try {
    response = await fetch(`${baseUrl}/health/live`, { signal: AbortSignal.timeout(5_000) });
  } catch {
    return false; // nothing listens there
  }
  const body = await response.json().catch(() => null);
  if (response.ok && body?.status === 'ok') return true;
  throw new Error(`${baseUrl} is not a running Countinghouse: GET /health/live returned ${response.status}.`);
}

/** Starts a service for the demo, with a free port, a temporary database and an admin. */
export async function startOwn() {
  const dataDir = mkdtempSync(join(tmpdir(), 'countinghouse-demo-'));
  // For root, the server runs as another user, who must be able to enter the folder.
  chmodSync(dataDir, 0o711);
  const admin = { email: 'admin@example.com', password: `demo ${randomBytes(12).toString('hex')}` };
  const child = spawn(process.execPath, [fileURLToPath(new URL('../start.mjs', import.meta.url))], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      ...process.env,
      PORT: '0',
      NODE_ENV: 'development',
      LISTEN_ADDRESS: '',
      DATABASE_URL: '',
      DATABASE_URL_FILE: '',
      DATA_DIR: join(dataDir, 'data'),
      ADMIN_EMAIL: admin.email,
      ADMIN_PASSWORD: admin.password,
      ADMIN_PASSWORD_FILE: '',
      TLS_CERT_FILE: '',
      TLS_KEY_FILE: '',
      LOG_LEVEL: 'error',
    },
  });
  const exit = once(child, 'exit');
  const stop = async () => {
    child.kill('SIGTERM');
    await exit;
    rmSync(dataDir, { recursive: true, force: true });
  };
  for await (const line of createInterface(child.stdout)) {
    const baseUrl = /^Countinghouse listens on (\S+)$/.exec(line)?.[1];
    if (baseUrl) return { baseUrl, admin, stop };
  }
  await stop();
  throw new Error('The service did not start.');
}
