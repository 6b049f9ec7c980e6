import { useState } from 'react';
import { api, type Schemas } from '../api/client';
import { numberedPages } from '../api/pages';
import { textFor, useMessages } from '../i18n/i18n';
import { isDashboard } from '../place';
import { useMayAct } from '../session/use-may-act';
import { ActionDialog } from '../ui/action-dialog';
import { Actions } from '../ui/actions';
import { type Column, ResourceList } from '../ui/resource-list';
import { RowAction } from '../ui/row-action';
import { Status } from '../ui/status';
import { aboutPerson, statusOf } from './about';
import { useColumns } from './columns';
import { InviteUserDialog } from './invite-dialogs';
import { pageOf } from './links';

type Person = Pick<
  Schemas['ViewedUserResponse'],
  'id' | 'email' | 'name' | 'role' | 'membership_role' | 'invited'
> & {
  readonly status: string;
};

/** Who acts for an account: the account itself, which signs in with a password of its own, and users. */
export function AccountPeople({ account }: { readonly account: Schemas['AccountResponse'] }) {
  const { people, fields, session, invite, dashboard } = useMessages();
  const t = dashboard.people;
  const { manage } = useMayAct();
  const shared = useColumns();
  const { id: accountId, email, status } = account;
  const itself: Person = { id: accountId, email, status, name: session.itself, membership_role: 'owner' };
  const roleOf = ({ role, membership_role }: Person): string =>
    textFor(people.roles, membership_role ?? role ?? '');
  const [removed, remove] = useState<Person | null>(null);
  const removal: Column<Person> = {
    name: 'remove',
    header: fields.action,
    kind: 'action',
    cell: (person) =>
      person.membership_role === 'member' && (
        <RowAction
          label={t.remove}
          of={person.email}
          isAllowed={manage.isAllowed}
          onPress={() => remove(person)}
        />
      ),
  };
  const load = numberedPages<Person>((page, signal) =>
    api.get('/v1/users', {
      params: { query: { ...(!isDashboard && { account_id: accountId }), view: 'full', ...page } },
      signal,
    }),
  );
  return (
    <>
      {(isDashboard || status === 'active') && (
        <Actions
          actions={[
            {
              name: 'invite',
              label: isDashboard ? t.invite : invite.user,
              ...manage,
              dialog: (close) => <InviteUserDialog accountId={accountId} onClose={close} />,
            },
          ]}
        />
      )}
      <ResourceList<Person>
        label={people.title}
        queryKey={['users', { account_id: accountId }, itself]}
        load={async (start, signal) => {
          const { items, next } = await load(start, signal);
          return { items: start === null ? [itself, ...items] : items, next };
        }}
        keyOf={({ id }) => id}
        linkOf={({ id }) => (id === accountId ? null : pageOf(id))}
        secondOf={(person) => [person.name, roleOf(person)].filter(Boolean).join(' · ')}
        columns={[
          { name: 'email', header: fields.email, kind: 'email', cell: ({ email }) => email },
          {
            name: 'role',
            header: fields.role,
            kind: 'word',
            isMinor: true,
            cell: roleOf,
          },
          { ...shared.status, cell: (person) => <Status value={statusOf(person)} /> },
          { name: 'name', header: fields.name, kind: 'name', isMinor: true, cell: ({ name }) => name },
          ...(isDashboard ? [removal] : []),
        ]}
      />
      {removed && <RemoveDialog person={removed} onClose={() => remove(null)} />}
    </>
  );
}

interface RemoveProps {
  readonly person: Person;
  readonly onClose: () => void;
}

function RemoveDialog({ person, onClose }: RemoveProps) {
  const t = useMessages().dashboard.people;
  return (
    <ActionDialog
      title={t.remove}
      about={aboutPerson(person)}
      text={t.removeText}
      confirm={t.remove}
      done={t.removed}
      isDangerous
      onClose={onClose}
      run={() => api.delete('/v1/users/{user_id}', { params: { path: { user_id: person.id } } })}
    />
  );
}
