import { type Approval } from '../api/approvals';
import { api } from '../api/client';
import { useMessages } from '../i18n/i18n';
import { useMayAct } from '../session/use-may-act';
import { useUser } from '../session/use-session';
import { ActionDialog } from '../ui/action-dialog';
import { Actions } from '../ui/actions';
import { ReasonField } from '../ui/fields';
import { useDraft } from '../ui/use-draft';
import { useAboutApproval } from './approval-effect';

interface ApprovalActionsProps {
  readonly approval: Approval;
  /** What it does; null while that is not known, and it cannot be approved. */
  readonly effect: string | null;
}

/** Another admin approves or rejects; the one who asked withdraws. */
export function ApprovalActions({ approval, effect }: ApprovalActionsProps) {
  const { approvals: t } = useMessages();
  const { manage } = useMayAct();
  const isOwn = useUser().id === approval.requested_by;
  return (
    <Actions
      actions={[
        {
          name: 'approve',
          label: t.approve,
          ...manage,
          ...(manage.isAllowed && { isAllowed: !isOwn, denial: t.own }),
          dialog: (close) => <ApproveDialog approval={approval} effect={effect} onClose={close} />,
        },
        {
          name: 'reject',
          label: isOwn ? t.withdraw : t.reject,
          ...manage,
          isDangerous: true,
          dialog: (close) => <RejectDialog approval={approval} isOwn={isOwn} onClose={close} />,
        },
      ]}
    />
  );
}

interface ApproveDialogProps extends ApprovalActionsProps {
  readonly onClose: () => void;
}

function ApproveDialog({ approval, effect, onClose }: ApproveDialogProps) {
  const { approvals: t, actions } = useMessages();
  const form = `approve:${approval.id}`;
  const [text, setText] = useDraft(form, 'reason');
  const reason = text.trim();
  return (
    <ActionDialog
      title={t.approve}
      about={useAboutApproval(approval)}
      text={`${effect ?? ''} ${t.noUndo}`}
      confirm={t.approve}
      done={t.approved}
      form={form}
      isReady={effect !== null}
      onClose={onClose}
      run={() =>
        api.post('/v1/approvals/{approval_id}/approve', {
          params: { path: { approval_id: approval.id } },
          ...(reason !== '' && { body: { reason } }),
        })
      }
    >
      <ReasonField value={text} onChange={setText} hint={actions.optionalReasonHint} />
    </ActionDialog>
  );
}

interface RejectDialogProps {
  readonly approval: Approval;
  readonly isOwn: boolean;
  readonly onClose: () => void;
}

function RejectDialog({ approval, isOwn, onClose }: RejectDialogProps) {
  const { approvals: t } = useMessages();
  const form = `reject:${approval.id}`;
  const [text, setText] = useDraft(form, 'reason');
  const reason = text.trim();
  const action = isOwn ? t.withdraw : t.reject;
  return (
    <ActionDialog
      title={action}
      about={useAboutApproval(approval)}
      text={t.rejectText}
      confirm={action}
      done={isOwn ? t.withdrawn : t.rejected}
      isDangerous
      form={form}
      isReady={reason !== ''}
      onClose={onClose}
      run={() =>
        api.post('/v1/approvals/{approval_id}/reject', {
          params: { path: { approval_id: approval.id } },
          body: { reason },
        })
      }
    >
      <ReasonField value={text} onChange={setText} />
    </ActionDialog>
  );
}
