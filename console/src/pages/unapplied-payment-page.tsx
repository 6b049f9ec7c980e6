import { useQuery } from '@tanstack/react-query';
import { api, REFRESH_MS, type Schemas } from '../api/client';
import { useFormats } from '../i18n/formats';
import { textFor, useMessages } from '../i18n/i18n';
import { useMayAct } from '../session/use-may-act';
import { Actions } from '../ui/actions';
import { Copyable } from '../ui/copy';
import { Details } from '../ui/details';
import { History } from '../ui/history';
import { IdLink } from '../ui/id-link';
import { Page } from '../ui/page';
import { Failure, Loading } from '../ui/states';
import { Status } from '../ui/status';
import { ResolveDialog, resolutionsOf } from './unapplied-actions';

type UnappliedPayment = Schemas['UnappliedPaymentResponse'];

export default function UnappliedPaymentPage({ id }: { readonly id: string }) {
  const { unapplied } = useMessages();
  const query = useQuery({
    queryKey: ['unapplied-payment', id],
    queryFn: ({ signal }) =>
      api.get('/v1/unapplied-payments/{unapplied_payment_id}', {
        params: { path: { unapplied_payment_id: id } },
        signal,
      }),
    refetchInterval: REFRESH_MS,
  });
  if (query.data) return <Shown payment={query.data} />;
  return (
    <Page title={unapplied.one} back={{ to: '/unapplied', text: unapplied.title }}>
      {query.isError ? <Failure error={query.error} retry={() => void query.refetch()} /> : <Loading />}
    </Page>
  );
}

function Shown({ payment }: { readonly payment: UnappliedPayment }) {
  const { unapplied, fields } = useMessages();
  const { money, time } = useFormats();
  const { operate } = useMayAct();
  const { id, amount, currency, status, reason, failure_reason, processor_reference, returned_at } = payment;
  return (
    <Page
      title={`${unapplied.one} ${money(amount, currency)}`}
      heading={
        <>
          <span>{money(amount, currency)}</span> <Status value={status} />
        </>
      }
      back={{ to: '/unapplied', text: unapplied.title }}
      aside={
        <Actions
          actions={resolutionsOf(payment).map((outcome) => ({
            name: outcome,
            label: unapplied.resolutions[outcome].action,
            ...operate,
            dialog: (close) => <ResolveDialog payment={payment} outcome={outcome} onClose={close} />,
          }))}
        />
      }
    >
      {failure_reason !== null && (
        <p className="problem">
          <strong>{fields.failure}:</strong> {failure_reason}
        </p>
      )}
      <Details
        rows={[
          [fields.id, <Copyable key="id" value={id} />],
          [fields.reason, textFor(unapplied.reasons, reason)],
          [fields.paymentRequest, <IdLink key="request" id={payment.payment_request_id} />],
          [fields.account, <IdLink key="account" id={payment.account_id} />],
          [fields.processorReference, processor_reference && <Copyable value={processor_reference} />],
          [fields.created, time(payment.created_at)],
          [fields.updated, time(payment.updated_at)],
          [fields.returned, returned_at && time(returned_at)],
        ]}
      />
      <History objectId={id} />
    </Page>
  );
}
