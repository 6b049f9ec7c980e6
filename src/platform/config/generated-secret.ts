import { randomBytes } from 'node:crypto';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const FILE = 'jwt-secret';
const OWNER_ONLY = 0o600;

/**
 * The secret of an embedded installation, made at its first start. Only while the data folder is held: two processes
 * must not each make one.
 */
export function generatedSecret(dataDir: string): string {
  const path = join(dataDir, FILE);
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  const secret = randomBytes(48).toString('base64url');
  // Written beside and renamed, so that a process that dies here leaves no half of a secret.
  writeFileSync(`${path}.new`, secret, { mode: OWNER_ONLY, flush: true });
  renameSync(`${path}.new`, path);
  return secret;
}
