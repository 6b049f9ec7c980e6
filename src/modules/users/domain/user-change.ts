import type { AuditEvent } from '../../../platform/audit/audit-trail';
import { statusEvents } from '../../../platform/audit/audit-trail';
import type { Principal, Role } from '../../auth';
import { isOperator } from '../../auth';
import type { User } from './user';
import type { UserStatus } from './user.lifecycle';

/** What an update of a user changes. */
export interface UserChange {
  readonly name?: string | null;
  readonly status?: UserStatus;
  readonly password?: string;
  /** Only admins may set the role. */
  readonly role?: Role;
}

/**
 * The events of an update for the audit log. Users change their own name as often as they like, so that is not recorded.
 * @param before the status of the user before the update
 * @param reason why, in the words of the caller
 */
export function describeChange(
  caller: Principal,
  { id: objectId, accountId }: User,
  before: UserStatus,
  { name, status, password, role }: UserChange,
  reason: string | null,
): AuditEvent[] {
  const events: Pick<AuditEvent, 'action' | 'details'>[] = [];
  if (name !== undefined && isOperator(caller))
    events.push({ action: 'user.update', details: { changed: ['name'] } });
  if (role !== undefined) events.push({ action: 'user.set_role', details: { role } });
  events.push(...statusEvents('user', before, status, reason));
  if (password !== undefined) events.push({ action: 'password.change' });
  return events.map((event) => ({ ...event, objectId, accountId, reason }));
}
