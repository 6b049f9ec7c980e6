import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { api, type Schemas } from '../api/client';
import { useFormats } from '../i18n/formats';
import { useMessages } from '../i18n/i18n';
import { nameOf } from '../i18n/name-of';
import { isDashboard } from '../place';
import { Copyable, CopyButton } from '../ui/copy';
import { Details } from '../ui/details';
import { IdLink } from '../ui/id-link';
import { Page } from '../ui/page';
import { Failure, Loading } from '../ui/states';

type Event = Schemas['EventResponse'];

export default function EventPage({ id }: { readonly id: string }) {
  const t = useMessages();
  const query = useQuery({
    queryKey: ['event', id],
    queryFn: ({ signal }) => api.get('/v1/events/{event_id}', { params: { path: { event_id: id } }, signal }),
    staleTime: Infinity, // an event never changes
  });
  if (query.data) return <Shown event={query.data} />;
  return (
    <Page title={t.events.title} back={{ to: '/events', text: t.nav.events }}>
      {query.isError ? <Failure error={query.error} retry={() => void query.refetch()} /> : <Loading />}
      {query.isError && <p className="note soft">{t.events.kept}</p>}
    </Page>
  );
}

function Shown({ event }: { readonly event: Event }) {
  const { events: t, nav, fields, names } = useMessages();
  const { number, time } = useFormats();
  const { id, type, object_id, account_id } = event;
  return (
    <Page title={nameOf(names, type)} back={{ to: '/events', text: nav.events }}>
      <Details
        rows={[
          [fields.object, <IdLink key="object" id={object_id} />],
          [fields.type, <Copyable key="type" value={type} />],
          [t.sequence, number(event.sequence)],
          [fields.account, !isDashboard && account_id && <IdLink id={account_id} />],
          [fields.created, time(event.created_at)],
          [fields.id, <Copyable key="id" value={id} />],
        ]}
      />
      <p className="links">
        <Link href={`/events?object_id=${encodeURIComponent(object_id)}`}>{t.ofObject}</Link>
        {account_id !== null && !isDashboard && (
          <Link href={`/events?account_id=${encodeURIComponent(account_id)}`}>{t.ofAccount}</Link>
        )}
      </p>
      <section aria-labelledby="payload">
        <div className="with-button">
          <h2 id="payload">{t.payload}</h2>
          <CopyButton value={JSON.stringify(event, null, 2)} label={t.asJson} />
        </div>
        <p className="soft">{t.payloadHint}</p>
        <pre className="json">{JSON.stringify(event.data.object, null, 2)}</pre>
      </section>
    </Page>
  );
}
