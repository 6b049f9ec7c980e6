import { useQueryClient } from '@tanstack/react-query';
import { ApiError } from 'countinghouse-client';
import { api } from '../api/client';
import { readNameOf } from '../api/users';
import { format, useMessages } from '../i18n/i18n';
import { ActionDialog } from './action-dialog';
import { ReasonField } from './fields';
import { useDraft } from './use-draft';

export type NextStatus = 'active' | 'suspended';

interface Subject {
  readonly id: string;
  readonly status: string;
}

/** The status that the action leads to. */
export const nextStatus = ({ status }: Pick<Subject, 'status'>): NextStatus =>
  status === 'active' ? 'suspended' : 'active';

/** The last part of the action in the audit log that leads to a status. */
const verbs: Readonly<Record<string, string>> = {
  active: 'activate',
  suspended: 'suspend',
  pending: 'make_pending',
  closed: 'close',
};

/** Returns the email or the id of who gave an account or a user its status; null for nobody. */
function useChangerOf(): (subject: Subject) => Promise<string | null> {
  const queries = useQueryClient();
  return async ({ id, status }) => {
    const action = `${id.startsWith('usr_') ? 'user' : 'account'}.${verbs[status]}`;
    const query = { object_id: id, action, limit: 1 };
    const { data } = await api.get('/v1/audit-log', { params: { query } });
    const actor = data[0]?.actor_id;
    return actor ? readNameOf(queries, actor) : null;
  };
}

interface StatusChange {
  readonly status: NextStatus;
  readonly reason: string;
}

export interface StatusDialogProps {
  /** The account or the user as the page shows it. */
  readonly shown: Subject;
  readonly about: string;
  readonly texts: Readonly<Record<'suspendText' | 'suspended' | 'reinstateText' | 'reinstated', string>>;
  readonly read: (id: string) => Promise<Subject & { readonly updated_at: string }>;
  /** @param version what has to be current for the change */
  readonly run: (change: StatusChange, version: { readonly 'If-Match': string }) => Promise<unknown>;
  readonly onClose: () => void;
}

/** Suspends or reinstates an account or a user, with a reason, unless it has another status than the page shows. */
export function StatusDialog({ shown, about, texts, read, run, onClose }: StatusDialogProps) {
  const { actions } = useMessages();
  const form = `status:${shown.id}`;
  const [text, setText] = useDraft(form, 'reason');
  const changerOf = useChangerOf();
  const reason = text.trim();
  const status = nextStatus(shown);
  const isSuspension = status === 'suspended';
  const [action, undo] = isSuspension
    ? [actions.suspend, actions.reinstate]
    : [actions.reinstate, actions.suspend];
  const what = isSuspension ? texts.suspendText : texts.reinstateText;
  /** Returns what to say. */
  const change = async (): Promise<string> => {
    for (;;) {
      const subject = await read(shown.id);
      if (subject.status !== shown.status) {
        const who = await changerOf(subject);
        return who === null ? actions.changed : format(actions.faster, { who });
      }
      try {
        await run({ status, reason }, { 'If-Match': `"${subject.updated_at}"` });
        return isSuspension ? texts.suspended : texts.reinstated;
      } catch (error) {
        // It has changed since it was read: perhaps not its status.
        if (!(error instanceof ApiError && error.is('precondition_failed'))) throw error;
      }
    }
  };
  return (
    <ActionDialog
      title={action}
      about={about}
      text={format(what, { undo })}
      confirm={action}
      done={(said) => said}
      isDangerous={isSuspension}
      form={form}
      isReady={reason !== ''}
      onClose={onClose}
      run={change}
    >
      <ReasonField value={text} onChange={setText} />
    </ActionDialog>
  );
}
