import type { Schemas } from '../api/client';

type FoundResource = Pick<Schemas['FoundResourceResponse'], 'type' | 'id' | 'account_id' | 'object'>;

interface AuditEntry {
  readonly object_id?: string | null;
  readonly action?: string;
}

/** The pages of resources, by the prefix of their ids. */
const places: Readonly<Record<string, string>> = {
  acc: 'accounts',
  adj: 'adjustments',
  apr: 'approvals',
  evt: 'events',
  pay: 'payments',
  sub: 'subscriptions',
  txn: 'transactions',
  unp: 'unapplied',
  usr: 'users',
  whk: 'webhooks',
};

/** The page of what a search has found. What has no page of its own is in a list: of its account, or of its object. */
export function pageOfFound({ type, id, account_id, object }: FoundResource): string | null {
  const { object_id, action } = object as AuditEntry;
  if (type === 'api_key') return account_id === null ? '/keys' : `${pageOf(account_id)}?tab=keys`;
  if (type === 'note') return `${pageOf(object_id!)}?tab=notes`;
  if (type === 'audit_entry') return pageOfAuditEntry({ object_id, action });
  return pageOf(id);
}

/** The audit log with an entry, among those of the same action on the same object; null for one without an object. */
export function pageOfAuditEntry({ object_id, action }: AuditEntry): string | null {
  return object_id ? `/audit?object_id=${object_id}&action=${action}` : null;
}

/** The page of a resource in the console; null for one without a page. */
export function pageOf(id: string): string | null {
  const place = places[id.split('_')[0]!];
  return place === undefined ? null : `/${place}/${encodeURIComponent(id)}`;
}
