import { type ReactNode, useState } from 'react';
import { needsApproval } from '../api/approvals';
import { api, type Schemas } from '../api/client';
import { useMessages } from '../i18n/i18n';
import { ActionDialog } from '../ui/action-dialog';
import { ReasonField } from '../ui/fields';
import { useDraft } from '../ui/use-draft';

interface ApprovableDialogProps {
  readonly type: Exclude<Schemas['ApprovalType'], 'adjustment' | 'transaction' | 'transfer'>;
  readonly objectId: string;
  /** Whether the action has a reason; the request for the approval always has one. */
  readonly hasReason?: boolean;
  readonly title: string;
  readonly about: string;
  /** What will happen. */
  readonly text: string;
  readonly done: string;
  readonly isDangerous?: boolean;
  /** Whether what was entered beside the reason is complete. */
  readonly isReady?: boolean;
  readonly run: (reason: string) => Promise<unknown>;
  readonly onClose: () => void;
  readonly children?: ReactNode;
}

/** An action that may need an approval. Where the service wants a second admin for it, the dialog goes on and asks for the approval. */
export function ApprovableDialog({
  type,
  objectId,
  hasReason = true,
  isDangerous = true,
  isReady = true,
  run,
  ...shown
}: ApprovableDialogProps) {
  const { approvals: t } = useMessages();
  const form = `${type}:${objectId}`;
  const [text, setText] = useDraft(form, 'reason');
  const [isAsking, setAsking] = useState(false);
  const reason = text.trim();
  const asksReason = hasReason || isAsking;
  const ask = () => api.post('/v1/approvals', { body: { type, object_id: objectId, reason } });
  const act = async (): Promise<unknown> => {
    try {
      return await run(reason);
    } catch (error) {
      if (!needsApproval(error)) throw error;
      setAsking(true);
      return false;
    }
  };
  return (
    <ActionDialog
      title={isAsking ? t.ask : shown.title}
      about={shown.about}
      text={isAsking ? t.askText : shown.text}
      confirm={isAsking ? t.ask : shown.title}
      done={isAsking ? t.asked : shown.done}
      form={form}
      isDangerous={isDangerous && !isAsking}
      isReady={(reason !== '' || !asksReason) && (isAsking || isReady)}
      onClose={shown.onClose}
      run={isAsking ? ask : act}
    >
      {isAsking && (
        <p className="notice" role="alert">
          {t.required}
        </p>
      )}
      {asksReason && <ReasonField value={text} onChange={setText} />}
      {!isAsking && shown.children}
    </ActionDialog>
  );
}
