import { useQuery } from '@tanstack/react-query';
import { api, type Schemas } from '../api/client';
import { cursorPages } from '../api/pages';
import { useFormats } from '../i18n/formats';
import { textFor, useMessages } from '../i18n/i18n';
import { BalanceChart } from '../ui/balance-chart';
import { IdLink } from '../ui/id-link';
import { ResourceList } from '../ui/resource-list';
import { pageOf } from './links';

type Entry = Schemas['EntryResponse'];

/** The journal of an account with the balance after each entry, and the latest of it as a chart. */
export function AccountEntries({ accountId }: { readonly accountId: string }) {
  const { fields, account, types, search } = useMessages();
  const { money, time } = useFormats();
  const typeOf = ({ type }: Entry) =>
    type && textFor({ ...types, adjustment: search.types.adjustment }, type);
  const path = { account_id: accountId };
  const latest = useQuery({
    queryKey: ['entries', accountId, 'latest'],
    queryFn: ({ signal }) =>
      api.get('/v1/accounts/{account_id}/entries', {
        params: { path, query: { limit: 100 } },
        signal,
      }),
  });
  const load = cursorPages((query, signal) =>
    api.get('/v1/accounts/{account_id}/entries', { params: { path, query }, signal }),
  );
  return (
    <>
      <BalanceChart entries={latest.data?.data ?? []} />
      <ResourceList<Entry>
        label={account.entries}
        queryKey={['entries', accountId]}
        load={load}
        keyOf={({ number }) => String(number)}
        linkOf={({ transaction_id }) => pageOf(transaction_id)}
        secondOf={(entry) => [typeOf(entry), entry.reference].filter(Boolean).join(' · ')}
        columns={[
          {
            name: 'number',
            header: fields.number,
            kind: 'number',
            cell: ({ number }) => number,
          },
          {
            name: 'amount',
            header: fields.amount,
            kind: 'amount',
            cell: ({ amount, currency }) => money(amount, currency),
          },
          {
            name: 'balance',
            header: fields.balance,
            kind: 'amount',
            cell: ({ balance, currency }) => money(balance, currency),
          },
          { name: 'type', header: fields.type, kind: 'word', isMinor: true, cell: typeOf },
          {
            name: 'reference',
            header: fields.reference,
            isMinor: true,
            wraps: true,
            cell: ({ reference, transaction_id }) => reference ?? <IdLink id={transaction_id} />,
          },
          {
            name: 'date',
            header: fields.date,
            kind: 'time',
            cell: ({ posted_at }) => time(posted_at),
          },
        ]}
      />
    </>
  );
}
