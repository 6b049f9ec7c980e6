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

/** The page of a resource in the console; null for one without a page. */
export function pageOf(id: string): string | null {
  const place = places[id.split('_')[0]!];
  return place === undefined ? null : `/${place}/${encodeURIComponent(id)}`;
}
