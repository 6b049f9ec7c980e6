import { randomBytes } from 'node:crypto';
import { DAY_MS } from '../kernel/clock';
import { ConfigError } from '../platform/config/settings';

/** `add`: all replicas learn the new secret. `promote`: it signs. `remove`: the old ones are forgotten. */
export const rotationSteps = ['add', 'promote', 'remove'] as const;
export type RotationStep = (typeof rotationSteps)[number];

/** How long an old secret is needed: stored requests with an Idempotency-Key are compared under it for seven days. */
export const OVERLAP_MS = 7 * DAY_MS;

/** A secret of this command begins with the time of its creation, which tells how far a rotation has come. */
const CREATED = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2})Z\./;

export function newSecret(now: Date): string {
  return `${now.toISOString().slice(0, 16)}Z.${randomBytes(32).toString('base64url')}`;
}

/**
 * The step that comes next, by the order of the secrets and the time of their creation.
 * @throws ConfigError when the secrets do not tell
 */
export function nextStep(secrets: readonly string[]): RotationStep {
  if (secrets.length === 1) return 'add';
  const times = secrets.map((secret) => createdAt(secret)?.getTime() ?? 0);
  const newest = Math.max(...times);
  if (newest === 0)
    throw new ConfigError(
      'JWT_SECRETS: several secrets, and none was made by this command. Name the step: --step promote makes the last one sign, --step remove keeps only the first',
    );
  return times[0] === newest ? 'remove' : 'promote';
}

/**
 * Returns the secrets after a step, the signing one first.
 * @throws ConfigError for a step that is not possible, or too early
 */
export function rotate(secrets: readonly string[], step: RotationStep, now: Date): readonly string[] {
  if (step === 'add') return [...secrets, newSecret(now)];
  if (secrets.length === 1)
    throw new ConfigError('JWT_SECRETS: there is only one secret; begin with --step add');
  if (step === 'promote') return [secrets.at(-1)!, ...secrets.slice(0, -1)];
  const end = (createdAt(secrets[0]!)?.getTime() ?? 0) + OVERLAP_MS;
  if (now.getTime() < end)
    throw new ConfigError(
      `JWT_SECRETS: the old secret is needed until ${new Date(end).toISOString()} at least. If it has leaked, remove it from the setting by hand`,
    );
  return secrets.slice(0, 1);
}

function createdAt(secret: string): Date | null {
  const time = CREATED.exec(secret)?.[1];
  return time === undefined ? null : new Date(`${time}Z`);
}
