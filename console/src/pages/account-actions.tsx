import { useState } from 'react';
import { api, type Schemas } from '../api/client';
import { format, useMessages } from '../i18n/i18n';
import { useMayAct } from '../session/use-session';
import { ActionDialog } from '../ui/action-dialog';
import { Actions } from '../ui/actions';
import { ReasonField, TextField } from '../ui/fields';
import { nextStatus, StatusDialog } from '../ui/status-dialog';

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
  const { actions, account: texts } = useMessages();
  const { manage: isAllowed } = useMayAct();
  if (account.status === 'closed') return null;
  const status = nextStatus(account);
  return (
    <Actions
      actions={[
        {
          name: 'status',
          label: status === 'suspended' ? actions.suspend : actions.reinstate,
          isAllowed,
          dialog: (close) => (
            <StatusDialog
              status={status}
              texts={texts}
              run={(body) => api.patch('/v1/accounts/{account_id}', { params: pathOf(account), body })}
              onClose={close}
            />
          ),
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

function CloseDialog({ account, onClose }: DialogProps) {
  const { actions, account: t } = useMessages();
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
      <ReasonField value={text} onChange={setText} />
      <TextField label={format(t.closeConfirm, { name: account.name })} value={typed} onChange={setTyped} />
    </ActionDialog>
  );
}
