import { isDeepStrictEqual } from 'node:util';
import type { DomainError } from '../../kernel/domain-error';
import type { Tx } from '../database/database';

/** The client that a request comes from. */
export interface Device {
  readonly ip: string;
  /** At most 255 characters. */
  readonly userAgent: string | null;
  /** The X-Request-Id of the request, by which the log names it. */
  readonly requestId: string;
}

/** Who acts, and from where. The principal of a request is an actor. */
export interface Actor {
  /** The id of a user or an account, `system` for the service itself, or null for a caller who is not authenticated. */
  readonly subjectId: string | null;
  readonly role: string | null;
  readonly sessionId: string | null;
  readonly device: Device | null;
}

/** The service itself: background work and commands. */
export const systemActor: Actor = { subjectId: 'system', role: null, sessionId: null, device: null };

/** A caller without a token, for example at a failed login. */
export function anonymousActor(device: Device): Actor {
  return { subjectId: null, role: null, sessionId: null, device };
}

/** `failed`: the caller could not prove who they are. `refused`: the caller is known, and the action is not allowed. */
export const auditOutcomes = ['succeeded', 'failed', 'refused'] as const;
export type AuditOutcome = (typeof auditOutcomes)[number];

/** By the status that a user or an account gets: the verb of the action, for example `account.suspend`. */
const statusVerbs = { active: 'activate', suspended: 'suspend', pending: 'make_pending' } as const;

/** Members of a resource as the audit log shows them, by their names in the API. None is a secret. */
export type AuditedMembers = Readonly<Record<string, unknown>>;

/** From what to what a member was changed. */
export interface AuditedChange {
  readonly member: string;
  readonly from: unknown;
  readonly to: unknown;
}

/**
 * Compares the members of objects one by one, for example `settings.language`.
 * @param names the members to compare, by default all
 */
export function changesBetween(
  before: AuditedMembers,
  after: AuditedMembers,
  names: readonly string[] = Object.keys({ ...before, ...after }),
): AuditedChange[] {
  return names.flatMap((member) => {
    const [from, to] = [ownMember(before, member), ownMember(after, member)];
    if (isObject(from) && isObject(to))
      return changesBetween(from, to).map((change) => ({ ...change, member: `${member}.${change.member}` }));
    return isDeepStrictEqual(from, to) ? [] : [{ member, from, to }];
  });
}

/** Not what every object inherits: keys of metadata have any name. */
function ownMember(members: AuditedMembers, name: string): unknown {
  return Object.hasOwn(members, name) ? (members[name] ?? null) : null;
}

function isObject(value: unknown): value is AuditedMembers {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** What was done. It contains no password, token or code, and but for `changes` no email address or name of a person. */
export interface AuditEvent {
  /** For example `account.suspend`: the kind of object, a dot and a verb; or one word, such as `login`. */
  readonly action: string;
  /** The id of the object; null when there is none, such as for a login with an unknown email. */
  readonly objectId: string | null;
  /** The account that the object belongs to, if any. */
  readonly accountId?: string | null;
  /** `succeeded` by default. */
  readonly outcome?: AuditOutcome;
  /** Why, in the words of the actor. */
  readonly reason?: string | null;
  /** Further facts, as JSON. */
  readonly details?: Readonly<Record<string, unknown>>;
  /** What was changed, as JSON. It is kept beside the entry, so that personal data in it can be erased. */
  readonly changes?: readonly AuditedChange[];
}

/** What was asked for: the id of the operation, and of the object if there is one. */
export interface RefusedChange {
  readonly operation: string | undefined;
  readonly objectId: string | null;
}

/**
 * The event of setting the status of a user or an account. Nobody has done anything by setting the status that it has
 * already; but a reason that is given for it is not lost.
 */
export function statusEvents(
  kind: 'user' | 'account',
  before: AuditedMembers,
  status: keyof typeof statusVerbs | undefined,
  reason: string | null,
): Omit<AuditEvent, 'objectId'>[] {
  if (status === undefined) return [];
  const action = `${kind}.${statusVerbs[status]}`;
  const changes = changesBetween(before, { status }, ['status']);
  if (changes.length > 0) return [{ action, changes }];
  return reason === null ? [] : [{ action, details: { repeated: true } }];
}

/** Whether the actor is an admin, a support person or a platform system, whose every change is recorded. */
export function isAudited({ role }: Actor): boolean {
  return role === 'admin' || role === 'platform' || role === 'support';
}

/** The append-only record of who did what to which object. The audit-log module implements it. */
export abstract class AuditTrail {
  /**
   * Adds an entry that commits with `tx` or not at all. Call it for what concerns the security of the service, for any
   * caller: logins, passwords, roles, suspensions.
   */
  abstract record(tx: Tx, actor: Actor, event: AuditEvent): void;

  /**
   * Adds an entry about a read of one object, in its own transaction: wait for it before the object is returned. The
   * same read from the same session and address within 15 minutes is part of it and adds none, unless another process or a
   * restarted one gets it. Changes and exports are no reads.
   */
  abstract recordRead(actor: Actor, event: AuditEvent): Promise<void>;

  /**
   * Adds an entry, in its own transaction, about a change that an admin, a support person or a platform system asked for
   * and that was refused.
   * @returns the error to send, which is another one if the entry cannot be written
   */
  abstract recordRefusal(actor: Actor, refused: RefusedChange, error: DomainError): Promise<unknown>;

  /**
   * Adds an entry about what an account owns when the actor is an admin, a support person or a platform system, whose
   * every change is recorded. The daily business of an account's own users is not.
   */
  recordByOperator(
    tx: Tx,
    actor: Actor,
    action: string,
    { id: objectId, accountId }: { readonly id: string; readonly accountId: string },
    details?: AuditEvent['details'],
    changes?: AuditEvent['changes'],
  ): void {
    if (isAudited(actor)) this.recordInAccount(tx, actor, { action, objectId, accountId, details, changes });
  }

  /** As `record`, with an entry that lies beside the account until it is sealed: on its server, if there are several. */
  protected abstract recordInAccount(
    tx: Tx,
    actor: Actor,
    event: AuditEvent & { readonly accountId: string },
  ): void;
}
