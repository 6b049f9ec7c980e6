import { timeOfChange } from '../../../kernel/clock';
import { DomainError } from '../../../kernel/domain-error';
import type { FieldsOf } from '../../../kernel/entity';
import { newId } from '../../../kernel/ids';
import type { AuditedMembers, AuditEvent } from '../../../platform/audit/audit-trail';
import { DISABLED_AFTER_MS, isSlow, type Pace, pausedUntil, SLOW_PERIOD_MS } from './delivery-pace';
import { type DisabledReason, toNoticedReason } from './disabled-endpoints';
import { type EndpointSecret, expiryOfSeen, withNewSecret } from './endpoint-secrets';
import type { AttemptResult } from './webhook-sender';

/** By which endpoints are listed; a failing one is also enabled. */
export const endpointStates = ['enabled', 'failing', 'disabled'] as const;
export type EndpointState = (typeof endpointStates)[number];

export interface EndpointCount {
  readonly count: number;
  /** Whether the count has reached its limit, so that there may be more. */
  readonly isCut: boolean;
  /** Since when the first of them is so; null without any. */
  readonly since: Date | null;
}

export type UnhealthyEndpoints = Readonly<Record<Exclude<EndpointState, 'enabled'>, EndpointCount>>;

export interface EndpointChange {
  readonly url?: string;
  readonly eventTypes?: readonly string[] | null;
  readonly enabled?: boolean;
  readonly apiVersion?: string;
}

/** Where the events of an account are delivered to. */
export class WebhookEndpoint {
  readonly accountId: string;
  readonly id: string;
  url: string;
  /** The API key that created it and with which it ends; null once a person has changed it, and if a person created it. */
  apiKeyId: string | null;
  /** When that key expires; null for never. */
  apiKeyExpiresAt: Date | null;
  /** The types of the events that are delivered; null for all. */
  eventTypes: readonly string[] | null;
  /** The version of the API in which events are delivered. */
  apiVersion: string;
  secrets: readonly EndpointSecret[];
  disabledAt: Date | null;
  disabledReason: DisabledReason | null;
  /** Since when every attempt has failed; null after one that succeeded. */
  failingSince: Date | null;
  /** How often in a row it has failed. Attempts that run at the same time count once. */
  failures: number;
  /** Until when a failing endpoint gets nothing. */
  pausedUntil: Date | null;
  /** When a delivery is due, and the endpoint is not paused; null when nothing is left to do. */
  nextDueAt: Date | null;
  /** Until when a process delivers to the endpoint, and no other one does. */
  leasedUntil: Date | null;
  /** When the owner of the account is to be told that the endpoint was disabled, or it is tried again; null afterwards. */
  noticeDueAt: Date | null;
  /** How often that was tried; above 0 without a due time, it is given up. */
  noticeAttempts: number;
  /** The network from which the account was signed up; null if unknown. */
  readonly signUpNetwork: string | null;
  /** From when the endpoint counts as fast, which may be in the future; null before its first success. */
  fastFrom: Date | null;
  readonly createdAt: Date;
  updatedAt: Date;

  private constructor(fields: FieldsOf<WebhookEndpoint, 'isEnabled' | 'secretExpiresAt'>) {
    Object.assign(this, fields);
  }

  static create(
    terms: Pick<WebhookEndpoint, 'accountId' | 'url' | 'eventTypes' | 'apiVersion' | 'signUpNetwork'>,
    encrypt: (id: string) => string,
    now: Date,
    apiKey: { readonly id: string; readonly expiresAt: Date | null } | null = null,
  ): WebhookEndpoint {
    const id = newId('whk', now, terms.accountId);
    return new WebhookEndpoint({
      ...terms,
      id,
      apiKeyId: apiKey?.id ?? null,
      apiKeyExpiresAt: apiKey?.expiresAt ?? null,
      secrets: [{ encrypted: encrypt(id), expiresAt: null }],
      disabledAt: null,
      disabledReason: null,
      failingSince: null,
      failures: 0,
      pausedUntil: null,
      nextDueAt: null,
      leasedUntil: null,
      noticeDueAt: null,
      noticeAttempts: 0,
      fastFrom: null,
      createdAt: now,
      updatedAt: now,
    });
  }

  /** What the audit log shows of changes. */
  audited(): AuditedMembers {
    const { url, eventTypes: event_types, apiVersion: version, isEnabled } = this;
    return { url, event_types, version, status: isEnabled ? 'enabled' : 'disabled' };
  }

  get isEnabled(): boolean {
    return this.disabledAt === null;
  }

  pace(now: Date): Pace {
    if (!this.isEnabled) return 'fast'; // nothing is sent
    if (this.failures > 0) return 'failing';
    if (this.fastFrom === null) return 'new';
    return this.fastFrom > now ? 'slow' : 'fast';
  }

  isSubscribedTo(eventType: string): boolean {
    return this.isEnabled && (this.eventTypes === null || this.eventTypes.includes(eventType));
  }

  /** Whether something is due that no other process does. */
  isDue(now: Date): boolean {
    return (
      this.nextDueAt !== null &&
      this.nextDueAt <= now &&
      (this.leasedUntil === null || this.leasedUntil <= now)
    );
  }

  change({ url, eventTypes, enabled, apiVersion }: EndpointChange, now: Date): void {
    if (url !== undefined) {
      this.url = url;
      this.fastFrom = null;
    }
    if (eventTypes !== undefined) this.eventTypes = eventTypes;
    if (apiVersion !== undefined) this.apiVersion = apiVersion;
    if (enabled === false) this.disable('requested', now);
    if (enabled === true || url !== undefined) this.resetFailures(now);
    if (enabled === true) this.enable();
    this.updatedAt = timeOfChange(this.updatedAt, now);
  }

  /** What is still pending then fails in the background. */
  disable(reason: DisabledReason, now: Date): void {
    if (!this.isEnabled) return;
    this.disabledAt = now;
    this.disabledReason = reason;
    this.nextDueAt = now;
    this.updatedAt = timeOfChange(this.updatedAt, now);
    this.noticeDueAt = toNoticedReason(reason) === null ? null : now;
    this.noticeAttempts = 0;
  }

  /** From now on it is the account's, whatever becomes of the API key that created it. */
  detachApiKey(): void {
    this.apiKeyId = null;
    this.apiKeyExpiresAt = null;
  }

  hasExpiredKey(now: Date): boolean {
    return this.apiKeyExpiresAt !== null && this.apiKeyExpiresAt <= now;
  }

  /** @throws DomainError `conflict` when it is disabled */
  assertEnabled(): void {
    if (!this.isEnabled)
      throw new DomainError(
        'conflict',
        'The webhook endpoint is disabled. Enable it first: PATCH with status enabled.',
      );
  }

  /** The secrets that came before sign for a while, too. @throws DomainError `conflict` after too many rotations */
  rotateSecret(encrypted: string, now: Date): void {
    this.secrets = withNewSecret(this.secrets, { encrypted }, now);
    this.updatedAt = timeOfChange(this.updatedAt, now);
  }

  /**
   * Replaces the secret by one that nobody has seen, so that those which the account knows sign for another day only.
   * @throws DomainError `conflict` after too many rotations
   */
  expireSecret(encrypted: string, now: Date): void {
    this.secrets = withNewSecret(this.secrets, { encrypted, unseen: true }, now);
    this.updatedAt = timeOfChange(this.updatedAt, now);
  }

  /** When deliveries can no longer be verified with a secret that the account knows, ISO 8601; null unless that is set. */
  get secretExpiresAt(): string | null {
    return expiryOfSeen(this.secrets);
  }

  /** Encrypts the secrets again, with the present key. */
  mapSecrets(encrypt: (encrypted: string) => string): void {
    this.secrets = this.secrets.map((secret) => ({ ...secret, encrypted: encrypt(secret.encrypted) }));
  }

  /** Reserves the endpoint for this process. */
  lease(until: Date): void {
    this.leasedUntil = until;
  }

  /** @returns whether the lease of this process, which ends at `until`, is still the current one */
  isLeasedUntil(until: Date): boolean {
    return this.leasedUntil?.getTime() === until.getTime();
  }

  /**
   * Records the results and the durations of attempts that ran at the same time: an endpoint fails when none of them
   * succeeded, and is then paused with all its deliveries.
   */
  recordAttempts(results: readonly AttemptResult[], now: Date): void {
    if (results.some(({ responseStatus }) => responseStatus === 410)) return this.disable('gone', now);
    if (results.length === 0) return;
    const hasSucceeded = results.some(({ error }) => error === null);
    if (results.some(isSlow)) this.fastFrom = new Date(now.getTime() + SLOW_PERIOD_MS);
    else if (hasSucceeded) this.fastFrom ??= now;
    if (hasSucceeded) return this.resetFailures(now);
    this.failures += 1;
    this.failingSince ??= now;
    this.pausedUntil = pausedUntil(this.failures, now);
    if (now.getTime() - this.failingSince.getTime() >= DISABLED_AFTER_MS) this.disable('failing', now);
  }

  /**
   * Ends the lease.
   * @param nextAttemptAt when the next delivery is due; null without any, of which none is left to fail either
   */
  release(nextAttemptAt: Date | null, now: Date): void {
    this.leasedUntil = null;
    if (nextAttemptAt === null) this.nextDueAt = null;
    else if (!this.isEnabled) this.nextDueAt = now;
    else this.nextDueAt = later(nextAttemptAt, this.pausedUntil);
  }

  /** Ends a pause: something is due at once. */
  makeDue(now: Date): void {
    this.pausedUntil = null;
    this.nextDueAt = now;
  }

  private enable(): void {
    this.disabledAt = null;
    this.disabledReason = null;
    this.noticeDueAt = null;
    this.noticeAttempts = 0;
  }

  private resetFailures(now: Date): void {
    this.failingSince = null;
    this.failures = 0;
    this.pausedUntil = null;
    if (this.nextDueAt !== null && this.nextDueAt > now) this.nextDueAt = now;
  }
}

function later(one: Date, other: Date | null): Date {
  return other !== null && other > one ? other : one;
}

export function describeDisabling(endpoint: Readonly<WebhookEndpoint>): AuditEvent {
  const changes = [{ member: 'status', from: 'enabled', to: 'disabled' }];
  return { ...describeAction('disable', endpoint, { reason: endpoint.disabledReason }), changes };
}

/** The event of an action on an endpoint for the audit log. */
export function describeAction(
  verb: string,
  { id: objectId, accountId }: Readonly<WebhookEndpoint>,
  details?: Readonly<Record<string, unknown>>,
): AuditEvent {
  return { action: `webhook_endpoint.${verb}`, objectId, accountId, details };
}
