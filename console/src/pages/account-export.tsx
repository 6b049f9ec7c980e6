import { downloadList } from '../api/download';
import { ExportButton } from '../ui/export-button';
import { useListOrder } from '../ui/list-order';
import { useEntriesPeriod } from './account-entries';
import { useAuditFilter } from './audit-table';

/** The lists that the API exports, by their tabs. */
const lists: Readonly<Record<string, (id: string) => readonly [path: string, query: object]>> = {
  entries: (id) => [`/v1/accounts/${id}/entries`, {}],
  transactions: (account_id) => ['/v1/transactions', { account_id, view: 'full' }],
  transfers: (account_id) => ['/v1/transfers', { account_id }],
  payments: (account_id) => ['/v1/payments', { account_id, view: 'full' }],
  subscriptions: (account_id) => ['/v1/subscriptions', { account_id }],
  adjustments: (account_id) => ['/v1/adjustments', { account_id }],
  people: (account_id) => ['/v1/users', { account_id, view: 'full' }],
  keys: (account_id) => ['/v1/api-keys', { account_id }],
  sessions: (id) => [`/v1/accounts/${id}/sessions`, {}],
  webhooks: (account_id) => ['/v1/webhooks', { account_id }],
  events: (account_id) => ['/v1/events', { account_id }],
  audit: (account_id) => ['/v1/audit-log', { account_id }],
};

/** Exports the list of a tab of an account, where it can be exported. */
export function AccountExport({ tab, accountId }: { readonly tab: string; readonly accountId: string }) {
  const list = lists[tab]?.(accountId);
  const auditFilter = useAuditFilter();
  const period = useEntriesPeriod();
  const order = useListOrder();
  if (list === undefined) return null;
  const [path, of] = list;
  const filters: Readonly<Record<string, object>> = {
    audit: auditFilter,
    entries: period,
    transactions: order,
    payments: order,
  };
  const query = { ...filters[tab], ...of };
  return (
    <div className="tab-actions">
      <ExportButton key={tab} name={`${tab}-${accountId}`} save={(file) => downloadList(path, query, file)} />
    </div>
  );
}
