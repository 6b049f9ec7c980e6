import { type ReactNode, useState } from 'react';
import { needsApproval } from '../api/approvals';
import { api, type Schemas } from '../api/client';
import { useMessages } from '../i18n/i18n';
import { ActionDialog } from '../ui/action-dialog';
import { ReasonField } from '../ui/fields';

interface ApprovableDialogProps {
  readonly type: Exclude<Schemas['ApprovalType'], 'adjustment'>;
  readonly objectId: string;
  readonly title: string;
  readonly about: string;
  /** What will happen. */
  readonly text: string;
  readonly done: string;
  /** Whether what was entered beside the reason is complete. */
  readonly isReady?: boolean;
  readonly run: (reason: string) => Promise<unknown>;
  readonly onClose: () => void;
  readonly children?: ReactNode;
}

/** An action with a reason. Where the service wants a second admin for it, the dialog goes on and asks for the approval. */
export function ApprovableDialog({ type, objectId, isReady = true, run, ...shown }: ApprovableDialogProps) {
  const { approvals: t } = useMessages();
  const [text, setText] = useState('');
  const [isAsking, setAsking] = useState(false);
  const reason = text.trim();
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
      isDangerous={!isAsking}
      isReady={reason !== '' && (isAsking || isReady)}
      onClose={shown.onClose}
      run={isAsking ? ask : act}
    >
      {isAsking && (
        <p className="notice" role="alert">
          {t.required}
        </p>
      )}
      <ReasonField value={text} onChange={setText} />
      {!isAsking && shown.children}
    </ActionDialog>
  );
}
