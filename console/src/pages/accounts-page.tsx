import { api, type Schemas } from '../api/client';
import { downloadList } from '../api/download';
import { numberedPages } from '../api/pages';
import { useFormats } from '../i18n/formats';
import { useMessages } from '../i18n/i18n';
import { useMayAct } from '../session/use-may-act';
import { Actions } from '../ui/actions';
import { ExportButton } from '../ui/export-button';
import { Filters, useFilters } from '../ui/filters';
import { Page } from '../ui/page';
import { ResourceList } from '../ui/resource-list';
import { useColumns } from './columns';
import { dateFilters } from './date-filters';
import { InviteAccountDialog } from './invite-dialogs';
import { pageOf } from './links';

type Account = Schemas['AccountItemResponse'];

const names = ['name', 'email', 'status', 'type', 'created_after', 'created_before'] as const;

export default function AccountsPage() {
  const { nav, fields, list, statuses, types, invite } = useMessages();
  const { operate } = useMayAct();
  const shared = useColumns();
  const { date, money } = useFormats();
  const filter = useFilters(names);
  const { active, suspended, pending, closed } = statuses;
  const { individual, business } = types;
  const query = filter as {
    status?: Schemas['AccountStatus'];
    type?: Schemas['AccountType'];
  };
  return (
    <Page
      title={nav.accounts}
      aside={
        <div className="actions">
          <Actions
            actions={[
              {
                name: 'invite',
                label: invite.account,
                ...operate,
                dialog: (close) => <InviteAccountDialog onClose={close} />,
              },
            ]}
          />
          <ExportButton name="accounts" save={(file) => downloadList('/v1/accounts', query, file)} />
        </div>
      }
    >
      <Filters
        savedAs="accounts"
        filters={[
          { name: 'name', label: fields.name, type: 'text' },
          { name: 'email', label: fields.email, type: 'text' },
          {
            name: 'status',
            label: fields.status,
            options: { active, suspended, pending, closed },
          },
          {
            name: 'type',
            label: fields.type,
            options: { individual, business },
          },
          ...dateFilters({ list }, filter, ['created_after', 'created_before']),
        ]}
      />
      <ResourceList<Account>
        label={nav.accounts}
        queryKey={['accounts', filter]}
        load={numberedPages<Account>((page, signal) =>
          api.get('/v1/accounts', {
            params: { query: { ...query, ...page, view: 'full' } },
            signal,
          }),
        )}
        keyOf={({ id }) => id}
        linkOf={({ id }) => pageOf(id)}
        secondOf={({ email }) => email}
        hasFilters={Object.keys(filter).length > 0}
        columns={[
          { name: 'name', header: fields.name, kind: 'name', cell: ({ name }) => name },
          shared.status,
          {
            name: 'balance',
            header: fields.balance,
            kind: 'amount',
            cell: ({ balance, settings }) => balance && settings && money(balance.posted, settings.currency),
          },
          {
            name: 'email',
            header: fields.email,
            kind: 'email',
            isMinor: true,
            cell: ({ email }) => email,
          },
          {
            name: 'created',
            header: fields.created,
            kind: 'date',
            isMinor: true,
            cell: ({ created_at }) => date(created_at),
          },
        ]}
      />
    </Page>
  );
}
