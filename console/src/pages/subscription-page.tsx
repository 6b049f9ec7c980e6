import { useQuery } from '@tanstack/react-query';
import { api, REFRESH_MS, type Schemas } from '../api/client';
import { usePaymentRequest } from '../api/payments';
import { useFormats } from '../i18n/formats';
import { textFor, useMessages } from '../i18n/i18n';
import { isDashboard } from '../place';
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
import { Splits } from './parts-table';
import { type PaymentFilter, PaymentsTable } from './payments-table';

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
    <Page title={t.subscription.title} back={{ to: '/subscriptions', text: t.nav.subscriptions }}>
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
          <Status value={status} texts={t.subscription.statuses} />
        </>
      }
      back={{ to: '/subscriptions', text: t.nav.subscriptions }}
      aside={status === 'active' && <CancelAction subscription={subscription} />}
    >
      <Details
        rows={[
          [t.fields.id, <Copyable key="id" value={id} />],
          [t.fields.customer, <Copyable key="customer" value={subscription.customer_email} />],
          [t.fields.account, !isDashboard && <IdLink id={account_id} />],
          [t.fields.reference, reference && <Copyable value={reference} />],
          [t.fields.nextPayment, next_payment_at && time(next_payment_at)],
          [t.fields.created, time(subscription.created_at)],
          [t.fields.updated, time(subscription.updated_at)],
          [t.fields.metadata, <Metadata key="metadata" value={subscription.metadata} />],
        ]}
      />
      <Splits {...subscription} />
      <Payments subscription={subscription} />
      <History objectId={id} />
    </Page>
  );
}

/** Those with the customer and the reference of the subscription, which is what tells them. */
function Payments({ subscription }: { readonly subscription: Subscription }) {
  const t = useMessages();
  const { account_id, customer_email, reference } = subscription;
  const filter = { account_id, customer_email, ...(reference !== null && { reference }) };
  const last = useLastPayment(filter);
  const attempt = last?.attempts?.at(-1);
  return (
    <section aria-labelledby="payments">
      <h2 id="payments">{t.nav.payments}</h2>
      {last?.failure_reason !== undefined && (
        <p className="problem">
          <strong>{t.subscription.lastFailure}:</strong> {last.failure_reason}
          {attempt?.outcome === 'declined' && attempt.reason !== null && ` ${attempt.reason}`}
        </p>
      )}
      <PaymentsTable filter={filter} hasFilters={false} isOfAccount />
    </section>
  );
}

function useLastPayment(filter: PaymentFilter) {
  const newest = useQuery({
    queryKey: ['last payment', filter],
    queryFn: ({ signal }) =>
      api.get('/v1/payments', { params: { query: { ...filter, limit: 1 } as object }, signal }),
    refetchInterval: REFRESH_MS,
  });
  return usePaymentRequest(newest.data?.data[0]?.id ?? null).data;
}

function CancelAction({ subscription }: { readonly subscription: Subscription }) {
  const { subscription: t } = useMessages();
  const about = useAboutSum()(subscription);
  const path = { subscription_id: subscription.id };
  const cancel = useCancelAction({ about, text: t.cancelText, done: t.canceled, label: t.cancel }, () =>
    api.delete('/v1/subscriptions/{subscription_id}', { params: { path } }),
  );
  return <Actions actions={[cancel]} />;
}
