import { createHash, randomBytes } from 'node:crypto';
import type { FieldsOf } from '../../../kernel/entity';
import { orderedIds } from '../../../kernel/ids';
import type { Actor, AuditedChange, AuditEvent, AuditOutcome } from '../../../platform/audit/audit-trail';

/** An entry without its place in the chain. */
export type NewAuditEntry = Omit<FieldsOf<AuditEntry>, 'sequence' | 'hash'>;

/** An entry that waits to be sealed, with its digest as it is stored. */
export type UnsealedEntry = NewAuditEntry & { readonly digest: Buffer };

/** An entry that has its place in the chain. */
export type SealedEntry = AuditEntry & { readonly sequence: number; readonly hash: Buffer };

/** What an entry says was changed, which lies beside the chain. Both members are null once it is erased. */
export interface KeptChanges {
  /** Random, so that the hash in the chain proves no guess once it is erased. */
  readonly salt: Buffer | null;
  readonly changes: readonly AuditedChange[] | null;
}

/** An entry as it is shown. */
export type ShownEntry = AuditEntry & Pick<KeptChanges, 'changes'>;

/** The end of the chain. */
export interface ChainHead {
  readonly sequence: number;
  readonly hash: Buffer;
}

/** Who did what to which object, when, from where and with which outcome. It never changes. */
export class AuditEntry {
  /** Its place in the chain, from 1 without gaps; null until it is sealed. */
  readonly sequence: number | null;
  readonly id: string;
  readonly createdAt: Date;
  readonly actorId: string | null;
  readonly actorRole: string | null;
  readonly sessionId: string | null;
  readonly action: string;
  readonly objectId: string | null;
  readonly accountId: string | null;
  readonly outcome: AuditOutcome;
  readonly reason: string | null;
  readonly details: Readonly<Record<string, unknown>>;
  readonly ip: string | null;
  readonly userAgent: string | null;
  readonly requestId: string | null;
  /** SHA-256 of the previous entry's hash and of this entry's digest; null until it is sealed. */
  readonly hash: Buffer | null;
}

const nextAuditId = orderedIds('aud');

/** @param kept what is stored beside the entry; null for nothing */
export function newAuditEntry(
  actor: Actor,
  event: AuditEvent,
  now: Date,
  kept: KeptChanges | null = null,
): NewAuditEntry {
  const { device } = actor;
  return {
    id: nextAuditId(now),
    createdAt: now,
    actorId: actor.subjectId,
    actorRole: actor.role,
    sessionId: actor.sessionId,
    action: event.action,
    objectId: event.objectId,
    accountId: event.accountId ?? null,
    outcome: event.outcome ?? 'succeeded',
    reason: event.reason ?? null,
    details: { ...event.details, ...(kept && { changes_hash: hashChanges(kept) }) },
    ip: device?.ip ?? null,
    userAgent: device?.userAgent ?? null,
    requestId: device?.requestId ?? null,
  };
}

/** @returns null for an event without changes */
export function newChanges({ changes }: AuditEvent): KeptChanges | null {
  return changes === undefined || changes.length === 0 ? null : { salt: randomBytes(16), changes };
}

/** The hash of changes in the details of their entry, and by them in the chain. */
export function hashChanges({ salt, changes }: KeptChanges): string {
  return createHash('sha256').update(salt!).update(JSON.stringify(changes)).digest('hex');
}

/** SHA-256 of all members. Their order never changes, since old entries must still verify. */
export function digestEntry(entry: NewAuditEntry): Buffer {
  const members = [
    entry.id,
    entry.createdAt.getTime(),
    entry.actorId,
    entry.actorRole,
    entry.sessionId,
    entry.action,
    entry.objectId,
    entry.accountId,
    entry.outcome,
    entry.reason,
    entry.details,
    entry.ip,
    entry.userAgent,
    entry.requestId,
  ];
  return createHash('sha256').update(JSON.stringify(members)).digest();
}

export function chainHash(digest: Buffer, previous: Buffer): Buffer {
  return createHash('sha256').update(previous).update(digest).digest();
}
