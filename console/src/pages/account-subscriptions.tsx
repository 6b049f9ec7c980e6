import { api, type Schemas } from '../api/client';
import { cursorPages } from '../api/pages';
import { useFormats } from '../i18n/formats';
import { textFor, useMessages } from '../i18n/i18n';
import { ResourceList } from '../ui/resource-list';
import { Status } from '../ui/status';
import { pageOf } from './links';

/** The subscriptions by which an account bills its customers again and again. */
export function AccountSubscriptions({ accountId }: { readonly accountId: string }) {
  const { subscription: t, fields } = useMessages();
  const { money, date } = useFormats();
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
        {
          name: 'amount',
          header: fields.amount,
          align: 'end',
          cell: ({ amount, currency }) => money(amount, currency),
        },
        {
          name: 'interval',
          header: fields.interval,
          cell: ({ interval }) => textFor(t.intervals, interval),
        },
        {
          name: 'status',
          header: fields.status,
          cell: ({ status }) => <Status value={status} />,
        },
        {
          name: 'customer',
          header: fields.customer,
          isMinor: true,
          cell: ({ customer_email }) => customer_email,
        },
        {
          name: 'next',
          header: fields.nextPayment,
          isMinor: true,
          width: 'time',
          cell: ({ next_payment_at }) => next_payment_at && date(next_payment_at),
        },
      ]}
    />
  );
}
