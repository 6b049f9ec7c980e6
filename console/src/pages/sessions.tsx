import { useState } from 'react';
import { api, type Schemas } from '../api/client';
import { fullPages } from '../api/pages';
import { useFormats } from '../i18n/formats';
import { useMessages } from '../i18n/i18n';
import { useMayAct } from '../session/use-may-act';
import { ActionDialog } from '../ui/action-dialog';
import { EmailLink } from '../ui/id-link';
import { type Column, ResourceList } from '../ui/resource-list';
import { RowAction } from '../ui/row-action';

type Session = Schemas['SessionResponse'] & { readonly user_id?: string | null };
type Page = { readonly limit: number; readonly page: number };

/** The operations on one's own sessions. */
const ownSessions = {
  read: (query: Page, signal: AbortSignal) => api.get('/v1/auth/sessions', { params: { query }, signal }),
  end: (session_id: string) => api.delete('/v1/auth/session', { body: { session_id } }),
};

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
  const { session: t, user } = useMessages();
  const { isAllowed, denial } = useMayAct().manage;
  const who: Column<Session> = {
    name: 'user',
    header: user.title,
    isMinor: true,
    cell: ({ user_id }) => (user_id ? <EmailLink id={user_id} accountId={subjectId} /> : t.itself),
  };
  return (
    <>
      {!isAllowed && <p className="soft">{denial}</p>}
      <SessionsTable
        queryKey={['sessions', subjectId]}
        {...sessionsOf(subjectId)}
        isAllowed={isAllowed}
        more={subjectId.startsWith('acc_') ? [who] : []}
      />
    </>
  );
}

/** One's own live sessions. */
export function OwnSessions() {
  return <SessionsTable queryKey={['own-sessions']} {...ownSessions} isAllowed />;
}

interface SessionsTableProps {
  readonly queryKey: readonly unknown[];
  readonly read: (page: Page, signal: AbortSignal) => Promise<{ readonly data: readonly Session[] }>;
  readonly end: (sessionId: string) => Promise<unknown>;
  readonly isAllowed: boolean;
  readonly more?: readonly Column<Session>[];
}

function SessionsTable({ queryKey, read, end, isAllowed, more = [] }: SessionsTableProps) {
  const { session: t, dashboard, user, fields, actions } = useMessages();
  const { time } = useFormats();
  const [chosen, setChosen] = useState<Session | null>(null);
  const describeDevice = ({ current, user_agent }: Session) => (
    <>
      {current && <strong>{dashboard.you.thisSession} </strong>}
      {user_agent}
    </>
  );
  return (
    <>
      <ResourceList<Session>
        label={user.sessions}
        queryKey={queryKey}
        load={fullPages(read)}
        keyOf={({ session_id }) => session_id}
        secondOf={describeDevice}
        columns={[
          {
            name: 'used',
            header: fields.lastUsed,
            kind: 'time',
            cell: ({ last_used_at }) => time(last_used_at),
          },
          ...more,
          { name: 'address', header: fields.address, cell: ({ ip }) => ip },
          {
            name: 'device',
            header: fields.device,
            isMinor: true,
            cell: describeDevice,
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
          run={() => end(chosen.session_id)}
        />
      )}
    </>
  );
}
