import { useQuery } from '@tanstack/react-query';
import { api, type Schemas } from '../api/client';
import { downloadList } from '../api/download';
import { cursorPages } from '../api/pages';
import { useFormats } from '../i18n/formats';
import { format, useMessages } from '../i18n/i18n';
import { isDashboard } from '../place';
import { useMayAct } from '../session/use-may-act';
import { useUser } from '../session/use-session';
import { ExportButton } from '../ui/export-button';
import { Filters, useFilters } from '../ui/filters';
import { IdLink } from '../ui/id-link';
import { Page } from '../ui/page';
import { type Column, ResourceList } from '../ui/resource-list';
import { useColumns } from './columns';
import { dateFilters } from './date-filters';

type ApiRequest = Schemas['RequestResponse'];

const names = ['error', 'account_id', 'date_from', 'date_to'] as const;

/** What was asked of the API lately: in the dashboard, by and about the account. */
export default function RequestsPage() {
  const { dashboard, nav, fields, list, webhooks } = useMessages();
  const t = dashboard.requests;
  const { number } = useFormats();
  const shared = useColumns();
  const filter = useFilters(names);
  const nameOf = useCallerName();
  const columns: Column<ApiRequest>[] = [
    {
      name: 'request',
      header: t.request,
      wraps: true,
      cell: ({ method, path }) => <code>{`${method} ${path}`}</code>,
    },
    {
      name: 'result',
      header: t.result,
      cell: ({ status, error }) => [status, error].filter((part) => part !== null).join(' '),
    },
    {
      name: 'duration',
      header: webhooks.duration,
      kind: 'number',
      isMinor: true,
      cell: ({ duration_ms }) => format(webhooks.milliseconds, { ms: number(duration_ms) }),
    },
    {
      name: 'caller',
      header: t.caller,
      isMinor: true,
      cell: ({ caller_id }) => nameOf(caller_id) ?? <IdLink id={caller_id} />,
    },
    shared.account,
    shared.created,
  ];
  return (
    <Page
      title={nav.requests}
      aside={<ExportButton name="requests" save={(file) => downloadList('/v1/requests', filter, file)} />}
    >
      <p className="soft intro">{t.text}</p>
      <Filters
        savedAs="requests"
        filters={[
          { name: 'error', label: t.code, type: 'text' },
          { name: 'account_id', label: fields.account, type: 'account' },
          ...dateFilters({ list }, filter, ['date_from', 'date_to']),
        ]}
      />
      <ResourceList<ApiRequest>
        label={nav.requests}
        queryKey={['requests', filter]}
        load={cursorPages((page, signal) =>
          api.get('/v1/requests', { params: { query: { ...filter, ...page } }, signal }),
        )}
        keyOf={({ id }) => id}
        hasFilters={Object.keys(filter).length > 0}
        columns={columns.filter(({ name }) => !(isDashboard && name === 'account'))}
      />
    </Page>
  );
}

/** Returns what a caller is called, as far as one may see it: the email of a user, or the name of a key. */
function useCallerName(): (id: string) => string | undefined {
  const user = useUser();
  const { revoke } = useMayAct();
  const { data } = useQuery({
    queryKey: ['callers'],
    queryFn: async ({ signal }) => {
      const params = { query: { limit: 100 } };
      const [users, keys] = await Promise.all([
        api.get('/v1/users', { params, signal }),
        api.get('/v1/api-keys', { params, signal }),
      ]);
      const emails = users.data.map(({ id, email }) => [id, email] as const);
      return new Map([...emails, ...keys.data.map(({ id, name }) => [id, name] as const)]);
    },
    enabled: isDashboard && revoke.isAllowed,
  });
  return (id) => (id === user.id ? user.email : data?.get(id));
}
