import { ApiError } from 'countinghouse-client';
import { useState } from 'react';
import { api, type Schemas } from '../api/client';
import { downloadList } from '../api/download';
import { numberedPages } from '../api/pages';
import { useFormats } from '../i18n/formats';
import { textFor, useMessages } from '../i18n/i18n';
import { useMayAct } from '../session/use-may-act';
import { Actions } from '../ui/actions';
import { ExportButton } from '../ui/export-button';
import { Filters, useFilters } from '../ui/filters';
import { Page } from '../ui/page';
import { ResourceList } from '../ui/resource-list';
import { Status } from '../ui/status';
import { statusOf } from './about';
import { useColumns } from './columns';
import { InviteUserDialog } from './invite-dialogs';
import { pageOf } from './links';

type User = Schemas['ViewedUserResponse'];

const names = ['search', 'status', 'role', 'account_id'] as const;

export default function UsersPage() {
  const { nav, fields, list, statuses, search, people, invite } = useMessages();
  const { manage } = useMayAct();
  const shared = useColumns();
  const { date } = useFormats();
  const filter = useFilters(names);
  const shown = JSON.stringify(filter);
  const [rejected, reject] = useState<string | null>(null);
  const isRejected = rejected === shown;
  const { active, suspended, pending } = statuses;
  const { user, platform, support, admin } = people.roles;
  const query = { ...filter, view: 'full' } as {
    search?: string;
    status?: Schemas['UserStatus'];
    role?: Schemas['Role'];
    account_id?: string;
    view: 'full';
  };
  return (
    <Page
      title={nav.users}
      aside={
        <div className="actions">
          <Actions
            actions={[
              {
                name: 'invite',
                label: invite.user,
                ...manage,
                dialog: (close) => <InviteUserDialog onClose={close} />,
              },
            ]}
          />
          <ExportButton name="users" save={(file) => downloadList('/v1/users', query, file)} />
        </div>
      }
    >
      <Filters
        savedAs="users"
        filters={[
          {
            name: 'search',
            label: search.label,
            type: 'text',
            problem: isRejected ? list.searchMore : undefined,
          },
          {
            name: 'status',
            label: fields.status,
            options: { active, suspended, pending },
          },
          {
            name: 'role',
            label: fields.role,
            options: { user, platform, support, admin },
          },
          { name: 'account_id', label: fields.account, type: 'account' },
        ]}
      />
      {!isRejected && (
        <ResourceList<User>
          label={nav.users}
          queryKey={['users', filter]}
          load={numberedPages<User>(async (page, signal) => {
            try {
              return await api.get('/v1/users', { params: { query: { ...query, ...page } }, signal });
            } catch (error) {
              if (findsTooMany(error)) reject(shown);
              throw error;
            }
          })}
          keyOf={({ id }) => id}
          linkOf={({ id }) => pageOf(id)}
          secondOf={({ role = '', membership_role }) => textFor(people.roles, membership_role ?? role)}
          hasFilters={Object.keys(filter).length > 0}
          columns={[
            { name: 'email', header: fields.email, kind: 'email', cell: ({ email }) => email },
            { ...shared.status, cell: (user) => <Status value={statusOf(user)} /> },
            {
              name: 'role',
              header: fields.role,
              kind: 'word',
              isMinor: true,
              cell: ({ role = '', membership_role }) => textFor(people.roles, membership_role ?? role),
            },
            {
              name: 'name',
              header: fields.name,
              kind: 'name',
              isMinor: true,
              cell: ({ name }) => name,
            },
            {
              name: 'created',
              header: fields.created,
              isMinor: true,
              kind: 'date',
              cell: ({ created_at }) => date(created_at),
            },
          ]}
        />
      )}
    </Page>
  );
}

/** Whether the service would read too many users. The search field says so, in the place of the list. */
function findsTooMany(error: unknown): boolean {
  return error instanceof ApiError && error.is('invalid_request') && error.message.startsWith('More than');
}
