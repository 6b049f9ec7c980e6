import { useState } from 'react';
import { type Schemas } from '../api/client';
import { useWebhook } from '../api/webhooks';
import { useFormats } from '../i18n/formats';
import { format, textFor, useMessages } from '../i18n/i18n';
import { Copyable } from '../ui/copy';
import { Details } from '../ui/details';
import { IdLink } from '../ui/id-link';
import { isDashboard } from '../place';
import { ShownOnce } from '../ui/shown-once';
import { Page } from '../ui/page';
import { Failure, Loading } from '../ui/states';
import { Status } from '../ui/status';
import { useAttemptRows } from './attempt';
import { DeliveriesOfEndpoint } from './deliveries';
import { type TestResult, WebhookActions } from './webhook-actions';

type Webhook = Schemas['WebhookResponse'];

export default function WebhookPage({ id }: { readonly id: string }) {
  const t = useMessages();
  const query = useWebhook(id);
  if (query.data) return <Shown webhook={query.data} />;
  return (
    <Page title={t.webhooks.title} back={{ to: '/webhooks', text: t.nav.webhooks }}>
      {query.isError ? <Failure error={query.error} retry={() => void query.refetch()} /> : <Loading />}
    </Page>
  );
}

function Shown({ webhook }: { readonly webhook: Webhook }) {
  const { webhooks: t, dashboard, nav, fields } = useMessages();
  const { time } = useFormats();
  const [secret, setSecret] = useState<string | null>(null);
  const [tested, setTested] = useState<{ readonly url: string; readonly result: TestResult } | null>(null);
  const { id, url, status, event_types, secret_expires_at } = webhook;
  return (
    <Page
      title={url}
      heading={
        <>
          <span>{url}</span> <Status value={status} />
        </>
      }
      back={{ to: '/webhooks', text: nav.webhooks }}
      aside={
        <WebhookActions
          webhook={webhook}
          onTested={(result) => setTested({ url, result })}
          onSecret={setSecret}
        />
      }
    >
      <State webhook={webhook} />
      {secret_expires_at !== null && (
        <p className="notice">{format(t.secretExpires, { time: time(secret_expires_at) })}</p>
      )}
      {secret !== null && (
        <ShownOnce title={dashboard.webhooks.secret} text={dashboard.webhooks.secretText} value={secret} />
      )}
      {tested?.url === url && <Result result={tested.result} />}
      <Details
        rows={[
          [fields.account, isDashboard ? null : <IdLink id={webhook.account_id} />],
          [t.eventTypes, event_types?.join(', ') ?? t.allTypes],
          [t.secret, isDashboard ? null : t.secretHint],
          [fields.id, <Copyable key="id" value={id} />],
          [fields.created, time(webhook.created_at)],
          [fields.updated, time(webhook.updated_at)],
        ]}
      />
      <DeliveriesOfEndpoint id={id} />
    </Page>
  );
}

/** Why nothing arrives, if nothing does. */
function State({ webhook: { disabled_reason, failing_since } }: { readonly webhook: Webhook }) {
  const { webhooks: t } = useMessages();
  const { time } = useFormats();
  if (disabled_reason !== null)
    return (
      <p className="problem">
        {t.disabledFor} {textFor(t.disabledReasons, disabled_reason)}
      </p>
    );
  if (failing_since === null) return null;
  return <p className="notice">{format(t.failingSince, { time: time(failing_since) })}</p>;
}

function Result({ result }: { readonly result: TestResult }) {
  const { webhooks: t } = useMessages();
  const attemptRows = useAttemptRows();
  return (
    <section className="effect" role="status" aria-labelledby="test-result">
      <h2 id="test-result">
        {t.testResult} <Status value={result.delivered ? 'succeeded' : 'failed'} />
      </h2>
      <Details rows={attemptRows(result)} />
    </section>
  );
}
