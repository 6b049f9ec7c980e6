import { useQuery } from '@tanstack/react-query';
import { api, REFRESH_MS, type Schemas } from '../api/client';
import { useFormats } from '../i18n/formats';
import { textFor, useMessages } from '../i18n/i18n';
import { Actions } from '../ui/actions';
import { Copyable } from '../ui/copy';
import { Details } from '../ui/details';
import { History } from '../ui/history';
import { IdLink } from '../ui/id-link';
import { Metadata } from '../ui/metadata';
import { Page } from '../ui/page';
import { Failure, Loading } from '../ui/states';
import { Status } from '../ui/status';
import { useAboutSum } from './about';
import { useCancelAction } from './cancel-action';

type Subscription = Schemas['SubscriptionResponse'];

export default function SubscriptionPage({ id }: { readonly id: string }) {
  const t = useMessages();
  const query = useQuery({
    queryKey: ['subscription', id],
    queryFn: ({ signal }) =>
      api.get('/v1/subscriptions/{subscription_id}', {
        params: { path: { subscription_id: id } },
        signal,
      }),
    refetchInterval: REFRESH_MS,
  });
  if (query.data) return <Shown subscription={query.data} />;
  return (
    <Page title={t.subscription.title} back={{ to: '/accounts', text: t.nav.accounts }}>
      {query.isError ? <Failure error={query.error} retry={() => void query.refetch()} /> : <Loading />}
    </Page>
  );
}

function Shown({ subscription }: { readonly subscription: Subscription }) {
  const t = useMessages();
  const { money, time } = useFormats();
  const { id, account_id, amount, currency, status, interval, reference, next_payment_at } = subscription;
  return (
    <Page
      title={`${t.subscription.title} ${money(amount, currency)}`}
      heading={
        <>
          <span>{money(amount, currency)}</span> <span>{textFor(t.subscription.intervals, interval)}</span>{' '}
          <Status value={status} />
        </>
      }
      back={{ to: `/accounts/${account_id}?tab=subscriptions`, text: t.account.title }}
      aside={status === 'active' && <CancelAction subscription={subscription} />}
    >
      <Details
        rows={[
          [t.fields.id, <Copyable key="id" value={id} />],
          [t.fields.customer, <Copyable key="customer" value={subscription.customer_email} />],
          [t.fields.account, <IdLink key="account" id={account_id} />],
          [t.fields.reference, reference && <Copyable value={reference} />],
          [t.fields.nextPayment, next_payment_at && time(next_payment_at)],
          [t.fields.created, time(subscription.created_at)],
          [t.fields.updated, time(subscription.updated_at)],
          [t.fields.metadata, <Metadata key="metadata" value={subscription.metadata} />],
        ]}
      />
      <History objectId={id} />
    </Page>
  );
}

function CancelAction({ subscription }: { readonly subscription: Subscription }) {
  const { subscription: t } = useMessages();
  const about = useAboutSum()(subscription);
  const path = { subscription_id: subscription.id };
  const cancel = useCancelAction({ about, text: t.cancelText, done: t.canceled }, () =>
    api.delete('/v1/subscriptions/{subscription_id}', { params: { path } }),
  );
  return <Actions actions={[cancel]} />;
}
