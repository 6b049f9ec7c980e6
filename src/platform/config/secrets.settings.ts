import { createHash, randomBytes } from 'node:crypto';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineSettings, secret, secretList, type SettingsOf } from './settings';

const MIN_SECRET_CHARACTERS = 32;

/** The secrets that sign access tokens, key the hashes of idempotent requests and encrypt the secrets of second factors. */
export const secretsSettings = defineSettings({
  variables: {
    JWT_SECRETS: secret(
      secretList(
        ({ length }) => length >= MIN_SECRET_CHARACTERS,
        `must be secrets of at least ${MIN_SECRET_CHARACTERS} characters, separated by commas`,
      )({
        default: [],
        desc: 'Comma-separated secrets of at least 32 characters: the first one signs, all of them verify. Required with `DATABASE_URL`; without it, the service generates one in `DATA_DIR`.',
      }),
    ),
  },
  read: ({ JWT_SECRETS }): readonly string[] => JWT_SECRETS,
});

export type Secrets = SettingsOf<typeof secretsSettings>;

/** The id by which access tokens name the secret that signed them (`kid`). It does not disclose the secret. */
export function keyIdOf(secret: string): string {
  return createHash('sha256').update(`kid:${secret}`).digest('base64url').slice(0, 8);
}

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
