import type { AuditEvent } from '../../../platform/audit/audit-trail';
import { statusEvents } from '../../../platform/audit/audit-trail';
import type { Principal } from '../../auth';
import { isOperator } from '../../auth';
import type { AccountChange, ReadonlyAccount } from './account';

/**
 * The events of an update for the audit log. Of what owners change, only the email is recorded: they change name and
 * settings as often as they like.
 * @param before the account before the update
 * @param reason why, in the words of the caller
 */
export function describeChange(
  caller: Principal,
  before: Pick<ReadonlyAccount, 'id' | 'status'>,
  { status, ...others }: AccountChange,
  reason: string | null,
): AuditEvent[] {
  const event = { objectId: before.id, accountId: before.id, reason };
  const changed = Object.entries(others).flatMap(([name, value]) => (value === undefined ? [] : [name]));
  const isRecorded = isOperator(caller) ? changed.length > 0 : changed.includes('email');
  return [
    ...(isRecorded ? [{ ...event, action: 'account.update', details: { changed } }] : []),
    ...statusEvents('account', before.status, status, reason).map((ofStatus) => ({ ...event, ...ofStatus })),
  ];
}
