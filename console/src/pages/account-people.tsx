import { api, type Schemas } from '../api/client';
import { numberedPages } from '../api/pages';
import { textFor, useMessages } from '../i18n/i18n';
import { ResourceList } from '../ui/resource-list';
import { Status } from '../ui/status';
import { pageOf } from './links';

/** The users who act for an account. */
export function AccountPeople({ accountId }: { readonly accountId: string }) {
  const { people, fields } = useMessages();
  return (
    <ResourceList<Schemas['ViewedUserResponse']>
      label={people.title}
      queryKey={['users', { account_id: accountId }]}
      load={numberedPages((page, signal) =>
        api.get('/v1/users', {
          params: { query: { account_id: accountId, view: 'full', ...page } },
          signal,
        }),
      )}
      keyOf={({ id }) => id}
      linkOf={({ id }) => pageOf(id)}
      columns={[
        { name: 'email', header: fields.email, cell: ({ email }) => email },
        {
          name: 'role',
          header: fields.role,
          cell: ({ role, membership_role }) => textFor(people.roles, membership_role ?? role ?? ''),
        },
        {
          name: 'status',
          header: fields.status,
          cell: ({ status }) => <Status value={status} />,
        },
        { name: 'name', header: fields.name, isMinor: true, cell: ({ name }) => name },
      ]}
    />
  );
}
