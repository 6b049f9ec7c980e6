import { useState } from 'react';
import { api, type Schemas } from '../api/client';
import { fullPages } from '../api/pages';
import { useFormats } from '../i18n/formats';
import { useMessages } from '../i18n/i18n';
import { useMayAct } from '../session/use-session';
import { ActionDialog } from '../ui/action-dialog';
import { EmailLink } from '../ui/id-link';
import { type Column, ResourceList } from '../ui/resource-list';
import { RowAction } from '../ui/row-action';

type Session = Schemas['SubjectSessionResponse'];
type Page = { readonly limit: number; readonly page: number };

/** The operations on the sessions of a user or an account. */
export function sessionsOf(id: string) {
  if (id.startsWith('usr_')) {
    const path = { user_id: id };
    return {
      read: (query: Page, signal: AbortSignal) =>
        api.get('/v1/users/{user_id}/sessions', { params: { path, query }, signal }),
      end: (session_id: string) =>
        api.delete('/v1/users/{user_id}/sessions/{session_id}', {
          params: { path: { ...path, session_id } },
        }),
      endAll: () => api.delete('/v1/users/{user_id}/sessions', { params: { path } }),
    };
  }
  const path = { account_id: id };
  return {
    read: (query: Page, signal: AbortSignal) =>
      api.get('/v1/accounts/{account_id}/sessions', { params: { path, query }, signal }),
    end: (session_id: string) =>
      api.delete('/v1/accounts/{account_id}/sessions/{session_id}', {
        params: { path: { ...path, session_id } },
      }),
    endAll: () => api.delete('/v1/accounts/{account_id}/sessions', { params: { path } }),
  };
}

/** The live sessions of a user or, with those of its people, of an account. @param subjectId the id of either */
export function Sessions({ subjectId }: { readonly subjectId: string }) {
  const { session: t, user, fields, actions } = useMessages();
  const { time } = useFormats();
  const { isAllowed, denial } = useMayAct().manage;
  const [chosen, setChosen] = useState<Session | null>(null);
  const operations = sessionsOf(subjectId);
  const who: Column<Session> = {
    name: 'user',
    header: user.title,
    isMinor: true,
    cell: ({ user_id }) => (user_id === null ? t.itself : <EmailLink id={user_id} accountId={subjectId} />),
  };
  return (
    <>
      {!isAllowed && <p className="soft">{denial}</p>}
      <ResourceList<Session>
        label={user.sessions}
        queryKey={['sessions', subjectId]}
        load={fullPages(operations.read)}
        keyOf={({ session_id }) => session_id}
        columns={[
          {
            name: 'used',
            header: fields.lastUsed,
            kind: 'time',
            cell: ({ last_used_at }) => time(last_used_at),
          },
          ...(subjectId.startsWith('acc_') ? [who] : []),
          { name: 'address', header: fields.address, cell: ({ ip }) => ip },
          {
            name: 'device',
            header: fields.device,
            isMinor: true,
            cell: ({ user_agent }) => user_agent,
          },
          {
            name: 'end',
            header: fields.action,
            kind: 'action',
            cell: (session) => (
              <RowAction
                label={actions.end}
                of={`${time(session.last_used_at)}, ${session.ip}`}
                isAllowed={isAllowed}
                onPress={() => setChosen(session)}
              />
            ),
          },
        ]}
      />
      {chosen && (
        <ActionDialog
          title={actions.end}
          about={[chosen.ip, chosen.user_agent, time(chosen.last_used_at)].filter(Boolean).join(' · ')}
          text={chosen.current ? t.endOwnText : t.endText}
          confirm={actions.end}
          done={t.ended}
          onClose={() => setChosen(null)}
          run={() => operations.end(chosen.session_id)}
        />
      )}
    </>
  );
}
