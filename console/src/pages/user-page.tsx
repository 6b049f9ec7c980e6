import { api, type Schemas } from '../api/client';
import { downloadList } from '../api/download';
import { readUser, useUserOf } from '../api/users';
import { useFormats } from '../i18n/formats';
import { textFor, useMessages } from '../i18n/i18n';
import { useMayAct } from '../session/use-may-act';
import { useMaySee } from '../session/use-session';
import { type Action, Actions } from '../ui/actions';
import { Copyable } from '../ui/copy';
import { Details } from '../ui/details';
import { ExportButton } from '../ui/export-button';
import { IdLink } from '../ui/id-link';
import { Notes } from '../ui/notes';
import { Page } from '../ui/page';
import { Failure, Loading } from '../ui/states';
import { Status } from '../ui/status';
import { aboutPerson, statusOf } from './about';
import { AuditList } from './audit-table';
import { useAccessActions } from './access-actions';
import { ApprovableDialog } from './approvable-dialog';
import { Sessions } from './sessions';
import { StatusReason } from './status-reason';
import { WaitingApprovals } from './waiting-approvals';

type User = Schemas['ViewedUserResponse'];

export default function UserPage({ id }: { readonly id: string }) {
  const t = useMessages();
  const query = useUserOf(id);
  if (query.data) return <Shown user={query.data} />;
  return (
    <Page title={t.user.title} back={{ to: '/users', text: t.nav.users }}>
      {query.isError ? <Failure error={query.error} retry={() => void query.refetch()} /> : <Loading />}
    </Page>
  );
}

function Shown({ user }: { readonly user: User }) {
  const t = useMessages();
  const { time } = useFormats();
  const { oversight } = useMaySee();
  const { id, email, name, status, role, membership_role, account_id } = user;
  return (
    <Page
      title={name ?? email}
      heading={
        <>
          <span>{name ?? email}</span> <Status value={statusOf(user)} />
        </>
      }
      back={{ to: '/users', text: t.nav.users }}
      aside={<UserActions user={user} />}
    >
      <StatusReason kind="user" id={id} status={status} />
      <WaitingApprovals objectId={id} />
      <Details
        rows={[
          [t.fields.id, <Copyable key="id" value={id} />],
          [t.fields.email, <Copyable key="email" value={email} />],
          [t.fields.role, textFor(t.people.roles, membership_role ?? role ?? '')],
          [t.fields.account, account_id && <IdLink id={account_id} />],
          [t.fields.created, time(user.created_at)],
          [t.fields.updated, time(user.updated_at)],
        ]}
      />
      {oversight && <Notes objectId={id} />}
      {oversight && (
        <section aria-labelledby="sessions">
          <div className="heading">
            <h2 id="sessions">{t.user.sessions}</h2>
            <ExportButton
              name={`sessions-${id}`}
              save={(file) => downloadList(`/v1/users/${id}/sessions`, {}, file)}
            />
          </div>
          <Sessions subjectId={id} />
        </section>
      )}
      {oversight && (
        <section aria-labelledby="audit">
          <h2 id="audit">{t.audit.title}</h2>
          <AuditList of={{ object_id: id }} />
        </section>
      )}
    </Page>
  );
}

function UserActions({ user }: { readonly user: User }) {
  const { user: t } = useMessages();
  const { manage } = useMayAct();
  const path = { user_id: user.id };
  const access = useAccessActions({
    shown: user,
    about: aboutPerson(user),
    email: user.email,
    texts: t,
    read: readUser,
    run: (body, header) => api.patch('/v1/users/{user_id}', { params: { path, header }, body }),
  });
  const makeAdmin: Action = {
    name: 'admin',
    label: t.makeAdmin,
    ...manage,
    isDangerous: true,
    dialog: (close) => (
      <ApprovableDialog
        type="make_admin"
        objectId={user.id}
        title={t.makeAdmin}
        about={aboutPerson(user)}
        text={t.makeAdminText}
        done={t.madeAdmin}
        onClose={close}
        run={(reason) =>
          api.patch('/v1/users/{user_id}', { params: { path }, body: { role: 'admin', reason } })
        }
      />
    ),
  };
  const mayBecomeAdmin = user.role !== 'admin' && user.account_id === null;
  return <Actions actions={mayBecomeAdmin ? [...access, makeAdmin] : access} />;
}
