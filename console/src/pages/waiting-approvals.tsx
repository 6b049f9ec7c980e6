import { Link } from 'wouter';
import { useWaitingApprovals } from '../api/approvals';
import { textFor, useMessages } from '../i18n/i18n';
import { useAmountOf } from './approval-effect';
import { pageOf } from './links';

interface WaitingApprovalsProps {
  /** The account or the user that they are about. */
  readonly objectId: string;
}

/** What was asked for and waits for a second admin, on the page of what it is about. */
export function WaitingApprovals({ objectId }: WaitingApprovalsProps) {
  const { approvals: t } = useMessages();
  const amountOf = useAmountOf();
  const all = useWaitingApprovals(objectId.startsWith('acc_') ? objectId : undefined);
  const waiting = (all ?? []).filter(({ account_id, object_id }) =>
    [account_id, object_id].includes(objectId),
  );
  if (waiting.length === 0) return null;
  return (
    <div className="notice waiting" role="status">
      <p>{t.pending}</p>
      <ul>
        {waiting.map((approval) => (
          <li key={approval.id}>
            <Link href={pageOf(approval.id)!}>
              {[textFor(t.types, approval.type), amountOf(approval)].filter(Boolean).join(' ')}
            </Link>
            : {approval.reason}
          </li>
        ))}
      </ul>
    </div>
  );
}
