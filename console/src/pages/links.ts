import type { Schemas } from '../api/client';
import { isDashboard } from '../place';

type FoundResource = Pick<Schemas['FoundResourceResponse'], 'type' | 'id' | 'account_id' | 'object'>;

/** The lists of resources, below which each has its page, by the prefix of their ids. */
const lists: Readonly<Record<string, string>> = {
  acc: 'accounts',
  adj: 'adjustments',
  apr: 'approvals',
  aud: 'audit',
  evt: 'events',
  pay: 'payments',
  sub: 'subscriptions',
  trf: 'transfers',
  txn: 'transactions',
  unp: 'unapplied',
  usr: 'users',
  whk: 'webhooks',
};

/** The page of what a search has found. What has no page of its own is in a list: of its account, or of its object. */
export function pageOfFound({ type, id, account_id, object }: FoundResource): string | null {
  const { object_id } = object as { readonly object_id?: string };
  if (type === 'api_key')
    return account_id === null || isDashboard ? '/keys' : `${pageOf(account_id)}?tab=keys`;
  if (isDashboard && type === 'user') return '/people';
  if (isDashboard && type === 'account') return '/settings';
  if (type === 'note') return `${pageOf(object_id!)}?tab=notes`;
  return pageOf(id);
}

/** What has a page in the dashboard too. Everything else is of the back office. */
const inDashboard = ['events', 'payments', 'subscriptions', 'transactions', 'transfers', 'webhooks'];

/** The page of a resource; null for one without a page. */
export function pageOf(id: string): string | null {
  const list = lists[id.split('_')[0]!];
  if (list === undefined || (isDashboard && !inDashboard.includes(list))) return null;
  return `/${list}/${encodeURIComponent(id)}`;
}
