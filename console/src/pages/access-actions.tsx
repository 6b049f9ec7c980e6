import { api } from '../api/client';
import { format, useMessages } from '../i18n/i18n';
import { useMayAct } from '../session/use-may-act';
import { ActionDialog } from '../ui/action-dialog';
import type { Action } from '../ui/actions';
import { nextStatus, StatusDialog, type StatusDialogProps } from '../ui/status-dialog';
import { sessionsOf } from './sessions';

interface AccessProps extends Omit<StatusDialogProps, 'onClose'> {
  readonly email: string;
  readonly texts: StatusDialogProps['texts'] & Readonly<Record<'endSessionsText' | 'sessionsEnded', string>>;
}

/** The actions on the access of an account or a user: its status, then its sessions and its password. */
export function useAccessActions({
  shown,
  about,
  email,
  texts,
  ...operations
}: AccessProps): [status: Action, ...others: Action[]] {
  const { actions, passwordLink: t } = useMessages();
  const { manage } = useMayAct();
  const status = nextStatus(shown);
  return [
    {
      name: status,
      label: status === 'suspended' ? actions.suspend : actions.reinstate,
      ...manage,
      dialog: (close) => <StatusDialog {...{ shown, about, texts, ...operations }} onClose={close} />,
    },
    {
      name: 'sessions',
      label: actions.endSessions,
      ...manage,
      dialog: (close) => (
        <ActionDialog
          title={actions.endSessions}
          about={about}
          text={texts.endSessionsText}
          confirm={actions.endSessions}
          done={texts.sessionsEnded}
          onClose={close}
          run={sessionsOf(shown.id).endAll}
        />
      ),
    },
    {
      name: 'password-link',
      label: t.action,
      ...manage,
      dialog: (close) => (
        <ActionDialog
          title={t.action}
          about={about}
          text={format(t.text, { email })}
          confirm={t.action}
          done={t.done}
          onClose={close}
          run={() => api.post('/v1/auth/password-reset', { body: { email } })}
        />
      ),
    },
  ];
}
