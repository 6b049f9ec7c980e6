import { randomBytes } from 'node:crypto';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const FILE = 'jwt-secret';
const OWNER_ONLY = 0o600;

/**
 * The secret of an installation with the embedded PostgreSQL, created at its first start. The caller must hold the lock
 * on the data folder, so that two processes do not each create one.
 */
export function generatedSecret(dataDir: string): string {
  const path = join(dataDir, FILE);
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  const secret = randomBytes(48).toString('base64url');
  // The file is renamed after it is complete, so that a crash leaves no partial secret.
  writeFileSync(`${path}.new`, secret, { mode: OWNER_ONLY, flush: true });
  renameSync(`${path}.new`, path);
  return secret;
}
