import { useState } from 'react';
import { useMessages } from '../i18n/i18n';
import { ActionDialog } from './action-dialog';
import { ReasonField } from './fields';

export type NextStatus = 'active' | 'suspended';

/** The status that the action leads to. */
export const nextStatus = ({ status }: { readonly status: string }): NextStatus =>
  status === 'active' ? 'suspended' : 'active';

interface StatusDialogProps {
  readonly status: NextStatus;
  readonly texts: Readonly<Record<'suspendText' | 'suspended' | 'reinstateText' | 'reinstated', string>>;
  readonly run: (change: { readonly status: NextStatus; readonly reason: string }) => Promise<unknown>;
  readonly onClose: () => void;
}

/** Suspends or reinstates an account or a user, with a reason. */
export function StatusDialog({ status, texts, run, onClose }: StatusDialogProps) {
  const { actions } = useMessages();
  const [text, setText] = useState('');
  const reason = text.trim();
  const isSuspension = status === 'suspended';
  const action = isSuspension ? actions.suspend : actions.reinstate;
  return (
    <ActionDialog
      title={action}
      text={isSuspension ? texts.suspendText : texts.reinstateText}
      confirm={action}
      done={isSuspension ? texts.suspended : texts.reinstated}
      isDangerous={isSuspension}
      isReady={reason !== ''}
      onClose={onClose}
      run={() => run({ status, reason })}
    >
      <ReasonField value={text} onChange={setText} />
    </ActionDialog>
  );
}
