import { api, type Schemas } from '../api/client';
import { numberedPages } from '../api/pages';
import { textFor, useMessages } from '../i18n/i18n';
import { useMayAct } from '../session/use-session';
import { Actions } from '../ui/actions';
import { ResourceList } from '../ui/resource-list';
import { useColumns } from './columns';
import { InviteUserDialog } from './invite-dialogs';
import { pageOf } from './links';

type Person = Pick<Schemas['ViewedUserResponse'], 'id' | 'email' | 'name' | 'role' | 'membership_role'> & {
  readonly status: string;
};

/** Who acts for an account: the account itself, which signs in with a password of its own, and users. */
export function AccountPeople({ account }: { readonly account: Schemas['AccountResponse'] }) {
  const { people, fields, session, invite } = useMessages();
  const { manage } = useMayAct();
  const shared = useColumns();
  const { id: accountId, email, status } = account;
  const itself: Person = { id: accountId, email, status, name: session.itself, membership_role: 'owner' };
  const load = numberedPages<Person>((page, signal) =>
    api.get('/v1/users', {
      params: { query: { account_id: accountId, view: 'full', ...page } },
      signal,
    }),
  );
  return (
    <>
      {status === 'active' && (
        <Actions
          actions={[
            {
              name: 'invite',
              label: invite.user,
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
        secondOf={({ name }) => name}
        columns={[
          { name: 'email', header: fields.email, kind: 'email', cell: ({ email }) => email },
          {
            name: 'role',
            header: fields.role,
            kind: 'word',
            cell: ({ role, membership_role }) => textFor(people.roles, membership_role ?? role ?? ''),
          },
          shared.status,
          { name: 'name', header: fields.name, kind: 'name', isMinor: true, cell: ({ name }) => name },
        ]}
      />
    </>
  );
}
