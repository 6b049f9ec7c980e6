import type { Schemas } from '../api/client';
import { useEffect, useState } from 'react';
import { Button } from 'react-aria-components/Button';
import { usePaymentRequest } from '../api/payments';
import { useFormats } from '../i18n/formats';
import { useMessages } from '../i18n/i18n';
import { isDashboard } from '../place';
import { useMayAct } from '../session/use-may-act';
import { Copyable } from '../ui/copy';
import { Details } from '../ui/details';
import { History } from '../ui/history';
import { IdLink } from '../ui/id-link';
import { Metadata } from '../ui/metadata';
import { Page } from '../ui/page';
import { Failure, Loading } from '../ui/states';
import { QrCode } from '../ui/qr-code';
import { Status } from '../ui/status';
import { CREATED } from './create-dialogs';
import { Splits } from './parts-table';
import { PaymentActions } from './payment-actions';

type PaymentRequest = Schemas['RetrievedPaymentRequestResponse'];

export default function PaymentPage({ id }: { readonly id: string }) {
  const t = useMessages();
  const query = usePaymentRequest(id);
  if (query.data) return <Shown payment={query.data} />;
  return (
    <Page title={t.payment.title} back={{ to: '/payments', text: t.nav.payments }}>
      {query.isError ? <Failure error={query.error} retry={() => void query.refetch()} /> : <Loading />}
    </Page>
  );
}

function Shown({ payment }: { readonly payment: PaymentRequest }) {
  const t = useMessages();
  const { money, time } = useFormats();
  const { id, amount, currency, status, reference, transaction_id } = payment;
  return (
    <Page
      title={`${t.payment.title} ${money(amount, currency)}`}
      heading={
        <>
          <span>{money(amount, currency)}</span> <Status value={status} />
        </>
      }
      back={{ to: '/payments', text: t.nav.payments }}
      aside={<PaymentActions payment={payment} />}
    >
      {payment.failure_reason !== undefined && (
        <p className="problem">
          <strong>{t.fields.failure}:</strong> {payment.failure_reason}
        </p>
      )}
      {status === 'canceled' && payment.expires_at <= payment.updated_at && (
        <p className="note">{t.payment.expired}</p>
      )}
      {status === 'pending' && <LinkToPay url={payment.payment_url} />}
      <Details
        rows={[
          [t.fields.id, <Copyable key="id" value={id} />],
          [t.fields.customer, <Copyable key="customer" value={payment.customer_email} />],
          [t.fields.account, !isDashboard && <IdLink id={payment.account_id} />],
          [t.fields.reference, reference && <Copyable value={reference} />],
          [t.fields.transaction, transaction_id && <IdLink id={transaction_id} />],
          [t.fields.created, time(payment.created_at)],
          [t.fields.updated, time(payment.updated_at)],
          [t.fields.expires, time(payment.expires_at)],
          [t.fields.metadata, <Metadata key="metadata" value={payment.metadata} />],
        ]}
      />
      <Splits {...payment} />
      <History objectId={id} attempts={payment.attempts} />
    </Page>
  );
}

/** Whoever has the link sees the page and can pay, so it is shown only when asked for, and after the creation. */
function LinkToPay({ url }: { readonly url: string }) {
  const { create: t } = useMessages();
  const { operate } = useMayAct();
  const [isShown, show] = useState(history.state === CREATED);
  useEffect(() => history.replaceState(null, ''), []); // another visit begins without it
  if (!operate.isAllowed) return null;
  if (!isShown)
    return (
      <Button className="secondary" onPress={() => show(true)}>
        {t.link}
      </Button>
    );
  return (
    <section className="effect" aria-labelledby="link">
      <h2 id="link">{t.link}</h2>
      <Copyable value={url} />
      <QrCode text={url} label={t.qrCode} />
    </section>
  );
}
