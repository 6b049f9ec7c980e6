import { isId } from '../../../../kernel/ids';
import type { AuditEvent } from '../../../../platform/audit/audit-trail';
import type { Approval } from '../domain/approval';

/** The event of an action on an approval for the audit log. */
export function describeAction(
  action: string,
  { id, type, objectId, accountId }: Approval,
  reason: string | null,
): AuditEvent {
  return {
    action,
    objectId: id,
    accountId: isId('acc', accountId) ? accountId : null,
    reason,
    details: { type, about: objectId },
  };
}
