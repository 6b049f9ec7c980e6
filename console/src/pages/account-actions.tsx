import { useState } from 'react';
import { readAccount } from '../api/account';
import { api, type Schemas } from '../api/client';
import { format, useMessages } from '../i18n/i18n';
import { useMayAct } from '../session/use-may-act';
import { type Action, Actions } from '../ui/actions';
import { TextField } from '../ui/fields';
import { aboutPerson } from './about';
import { useAccessActions } from './access-actions';
import { AdjustDialog } from './adjust-dialog';
import { ApprovableDialog } from './approvable-dialog';
import {
  CreatePaymentDialog,
  CreateSubscriptionDialog,
  CreateTransactionDialog,
  CreateTransferDialog,
} from './create-dialogs';
import { EditAccountDialog } from './edit-account-dialog';

interface AccountProps {
  readonly account: Schemas['AccountResponse'];
}
interface DialogProps extends AccountProps {
  readonly onClose: () => void;
}

const pathOf = ({ id }: AccountProps['account']) => ({
  path: { account_id: id },
});

/** What an admin may do with an account. From a closed one, only what is left in it can be taken. */
export function AccountActions({ account }: AccountProps) {
  const { actions, account: texts, adjustments, create, dashboard, edit } = useMessages();
  const { operate, manage } = useMayAct();
  const isClosed = account.status === 'closed';
  const adjust: Action = {
    name: 'adjust',
    label: adjustments.adjust,
    ...manage,
    dialog: (close) => (
      <AdjustDialog
        accountId={account.id}
        about={aboutPerson(account)}
        currency={account.settings.currency}
        directions={isClosed ? ['debit'] : ['credit', 'debit']}
        text={adjustments.text}
        onClose={close}
      />
    ),
  };
  const [status, ...access] = useAccessActions({
    shown: account,
    about: aboutPerson(account),
    email: account.email,
    texts,
    read: readAccount,
    run: (body, header) =>
      api.patch('/v1/accounts/{account_id}', { params: { ...pathOf(account), header }, body }),
  });
  const creations: Action[] = [
    {
      name: 'payment',
      label: create.payment,
      ...operate,
      dialog: (close) => <CreatePaymentDialog accountId={account.id} onClose={close} />,
    },
    {
      name: 'transaction',
      label: create.transaction,
      ...operate,
      dialog: (close) => <CreateTransactionDialog accountId={account.id} onClose={close} />,
    },
    {
      name: 'transfer',
      label: dashboard.transfer.create,
      ...operate,
      dialog: (close) => <CreateTransferDialog accountId={account.id} onClose={close} />,
    },
    {
      name: 'subscription',
      label: dashboard.subscription.create,
      ...operate,
      dialog: (close) => <CreateSubscriptionDialog accountId={account.id} onClose={close} />,
    },
  ];
  const change: Action = {
    name: 'edit',
    label: edit.account,
    ...manage,
    dialog: (close) => <EditAccountDialog account={account} onClose={close} />,
  };
  const close: Action = {
    name: 'close',
    label: actions.closeAccount,
    ...manage,
    isDangerous: true,
    dialog: (onClose) => <CloseDialog account={account} onClose={onClose} />,
  };
  if (isClosed) return <Actions actions={[adjust]} />;
  if (account.status === 'suspended') return <Actions actions={[status, change, adjust, ...access, close]} />;
  return <Actions actions={[...creations, adjust, change, status, ...access, close]} />;
}

function CloseDialog({ account, onClose }: DialogProps) {
  const { actions, account: t } = useMessages();
  const [typed, setTyped] = useState('');
  return (
    <ApprovableDialog
      type="close_account"
      objectId={account.id}
      title={actions.closeAccount}
      about={aboutPerson(account)}
      text={t.closeText}
      done={t.closed}
      isReady={typeable(typed) === typeable(account.name)}
      onClose={onClose}
      run={(reason) => api.delete('/v1/accounts/{account_id}', { params: pathOf(account), body: { reason } })}
    >
      <TextField label={format(t.closeConfirm, { name: account.name })} value={typed} onChange={setTyped} />
    </ApprovableDialog>
  );
}

/** What one can type of a name: it may have line breaks, invisible characters and some that only stand for others. */
function typeable(name: string): string {
  return name.normalize('NFKC').replace(/[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\ufffd]/gu, '');
}
