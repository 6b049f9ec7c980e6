import { useState } from 'react';
import { api, type Schemas } from '../api/client';
import { format, useMessages } from '../i18n/i18n';
import { useMayAct } from '../session/use-session';
import { ActionDialog } from '../ui/action-dialog';
import { Actions } from '../ui/actions';
import { TextField } from '../ui/fields';

interface AccountProps {
  readonly account: Schemas['AccountResponse'];
}
interface DialogProps extends AccountProps {
  readonly onClose: () => void;
}

const pathOf = ({ id }: AccountProps['account']) => ({
  path: { account_id: id },
});

/** What an admin may do with an account. A closed one stays as it is. */
export function AccountActions({ account }: AccountProps) {
  const { actions } = useMessages();
  const { manage: isAllowed } = useMayAct();
  if (account.status === 'closed') return null;
  const status = account.status === 'active' ? 'suspended' : 'active';
  return (
    <Actions
      actions={[
        {
          name: 'status',
          label: status === 'suspended' ? actions.suspend : actions.reinstate,
          isAllowed,
          dialog: (close) => <StatusDialog account={account} status={status} onClose={close} />,
        },
        {
          name: 'close',
          label: actions.closeAccount,
          isAllowed,
          isDangerous: true,
          dialog: (close) => <CloseDialog account={account} onClose={close} />,
        },
      ]}
    />
  );
}

function StatusDialog({
  account,
  status,
  onClose,
}: DialogProps & { readonly status: 'active' | 'suspended' }) {
  const { actions, fields, account: t } = useMessages();
  const [text, setText] = useState('');
  const reason = text.trim();
  const isSuspension = status === 'suspended';
  return (
    <ActionDialog
      title={isSuspension ? actions.suspend : actions.reinstate}
      text={isSuspension ? t.suspendText : t.reinstateText}
      confirm={isSuspension ? actions.suspend : actions.reinstate}
      done={isSuspension ? t.suspended : t.reinstated}
      isDangerous={isSuspension}
      isReady={reason !== ''}
      onClose={onClose}
      run={() =>
        api.patch('/v1/accounts/{account_id}', {
          params: pathOf(account),
          body: { status, reason },
        })
      }
    >
      <TextField
        label={fields.reason}
        hint={actions.reasonHint}
        autoFocus
        maxLength={255}
        value={text}
        onChange={setText}
      />
    </ActionDialog>
  );
}

function CloseDialog({ account, onClose }: DialogProps) {
  const { actions, fields, account: t } = useMessages();
  const [text, setText] = useState('');
  const [typed, setTyped] = useState('');
  const reason = text.trim();
  return (
    <ActionDialog
      title={actions.closeAccount}
      text={t.closeText}
      confirm={actions.closeAccount}
      done={t.closed}
      isDangerous
      isReady={reason !== '' && typed.trim() === account.name.trim()}
      onClose={onClose}
      run={() =>
        api.delete('/v1/accounts/{account_id}', {
          params: pathOf(account),
          body: { reason },
        })
      }
    >
      <TextField
        label={fields.reason}
        hint={actions.reasonHint}
        autoFocus
        maxLength={255}
        value={text}
        onChange={setText}
      />
      <TextField label={format(t.closeConfirm, { name: account.name })} value={typed} onChange={setTyped} />
    </ActionDialog>
  );
}
