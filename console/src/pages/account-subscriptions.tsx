import { api, type Schemas } from '../api/client';
import { cursorPages } from '../api/pages';
import { useFormats } from '../i18n/formats';
import { textFor, useMessages } from '../i18n/i18n';
import { ResourceList } from '../ui/resource-list';
import { useColumns } from './columns';
import { pageOf } from './links';

/** The subscriptions by which an account bills its customers again and again. */
export function AccountSubscriptions({ accountId }: { readonly accountId: string }) {
  const { subscription: t, fields } = useMessages();
  const shared = useColumns();
  const { date } = useFormats();
  return (
    <ResourceList<Schemas['SubscriptionResponse']>
      label={t.list}
      queryKey={['subscriptions', accountId]}
      load={cursorPages((page, signal) =>
        api.get('/v1/subscriptions', {
          params: { query: { account_id: accountId, ...page } },
          signal,
        }),
      )}
      keyOf={({ id }) => id}
      linkOf={({ id }) => pageOf(id)}
      secondOf={({ customer_email }) => customer_email}
      columns={[
        shared.amount,
        {
          name: 'interval',
          header: fields.interval,
          kind: 'word',
          cell: ({ interval }) => textFor(t.intervals, interval),
        },
        shared.status,
        shared.customer,
        {
          name: 'next',
          header: fields.nextPayment,
          isMinor: true,
          kind: 'date',
          cell: ({ next_payment_at }) => next_payment_at && date(next_payment_at),
        },
      ]}
    />
  );
}
