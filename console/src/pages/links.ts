import type { Schemas } from '../api/client';

type FoundResource = Pick<Schemas['FoundResourceResponse'], 'type' | 'id' | 'account_id'>;

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

/** The page of what a search has found. API keys are in the list of their account, or of the platform. */
export function pageOfFound({ type, id, account_id }: FoundResource): string | null {
  if (type !== 'api_key') return pageOf(id);
  return account_id === null ? '/keys' : `${pageOf(account_id)}?tab=keys`;
}

/** The page of a resource in the console; null for one without a page. */
export function pageOf(id: string): string | null {
  const place = places[id.split('_')[0]!];
  return place === undefined ? null : `/${place}/${encodeURIComponent(id)}`;
}
