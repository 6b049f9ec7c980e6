import { randomBytes } from 'node:crypto';
import { DAY_MS } from '../../../kernel/clock';
import { DomainError } from '../../../kernel/domain-error';

/** A secret that signs, as it is stored. */
export interface EndpointSecret {
  readonly encrypted: string;
  /** Until when it signs, ISO 8601; null for the current one. */
  readonly expiresAt: string | null;
  /** Present if nobody has seen it: it only replaces one that an admin lets expire. */
  readonly unseen?: true;
}

/** How long a secret signs after the next one was issued. */
const ROTATION_MS = DAY_MS;

/** Bounds the secrets that sign at the same time, and so the signatures of a request. */
const MAX_SECRETS = 4;

/** By the recommendation of Standard Webhooks: 24 to 64 bytes. */
const SECRET_BYTES = 32;

/** A new secret in the form of Standard Webhooks. */
export function newSecret(): string {
  return `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`;
}

/** The secrets that sign at `now`, the newest first. */
export function signingSecrets(secrets: readonly EndpointSecret[], now: Date): readonly EndpointSecret[] {
  return secrets.filter(({ expiresAt }) => expiresAt === null || new Date(expiresAt) > now);
}

/**
 * Adds a new secret. All that sign now go on for a day: a client that lost the response rotates again, and the receiver
 * still verifies with the secret that it knows.
 * @throws DomainError `conflict` when too many sign already
 */
export function withNewSecret(
  secrets: readonly EndpointSecret[],
  next: Pick<EndpointSecret, 'encrypted' | 'unseen'>,
  now: Date,
): readonly EndpointSecret[] {
  const signing = signingSecrets(secrets, now);
  if (signing.length >= MAX_SECRETS)
    throw new DomainError(
      'conflict',
      `The secret was rotated ${MAX_SECRETS - 1} times within 24 hours. Wait until the oldest secret has expired.`,
    );
  const expiresAt = new Date(now.getTime() + ROTATION_MS).toISOString();
  return [
    { ...next, expiresAt: null },
    ...signing.map((secret) => ({ ...secret, expiresAt: secret.expiresAt ?? expiresAt })),
  ];
}

/** Returns when the last secret that the account knows stops signing; null when that is the current one. */
export function expiryOfSeen(secrets: readonly EndpointSecret[]): string | null {
  const seen = secrets.filter(({ unseen }) => !unseen).map(({ expiresAt }) => expiresAt);
  return seen.includes(null) ? null : (seen.toSorted().at(-1) ?? null);
}
