import { randomBytes } from 'node:crypto';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const FILE = 'jwt-secret';
const OWNER_ONLY = 0o600;

/**
 * The secrets of an installation with the embedded PostgreSQL, as in JWT_SECRETS. The first start creates one. The caller
 * must hold the lock on the data folder, so that two processes do not each create one.
 */
export function generatedSecrets(dataDir: string): readonly string[] {
  const found = readGeneratedSecrets(dataDir);
  if (found !== null) return found;
  const secrets = [randomBytes(48).toString('base64url')];
  writeGeneratedSecrets(dataDir, secrets);
  return secrets;
}

/** Returns null before the first start. */
export function readGeneratedSecrets(dataDir: string): readonly string[] | null {
  try {
    return readFileSync(join(dataDir, FILE), 'utf8').split(',');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return null;
  }
}

/** The file is renamed after it is complete, so that a crash leaves no partial secret. */
export function writeGeneratedSecrets(dataDir: string, secrets: readonly string[]): void {
  const path = join(dataDir, FILE);
  writeFileSync(`${path}.new`, secrets.join(','), { mode: OWNER_ONLY, flush: true });
  renameSync(`${path}.new`, path);
}
