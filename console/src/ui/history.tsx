import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { api } from '../api/client';
import { useFormats } from '../i18n/formats';
import { textFor, useMessages } from '../i18n/i18n';
import { pageOf } from '../pages/links';
import { Failure, Loading } from './states';

/** What has happened to a resource, newest first, with links to the events. */
export function History({ objectId }: { readonly objectId: string }) {
  const { transaction: t, statuses } = useMessages();
  const { time } = useFormats();
  const query = useQuery({
    queryKey: ['history', objectId],
    queryFn: ({ signal }) =>
      api.get('/v1/events', {
        params: { query: { object_id: objectId, limit: 100 } },
        signal,
      }),
  });
  return (
    <section aria-labelledby="history">
      <h2 id="history">{t.history}</h2>
      {query.isPending && <Loading />}
      {query.isError && <Failure error={query.error} retry={() => void query.refetch()} />}
      {query.data?.data.length === 0 && <p className="soft">{t.noHistory}</p>}
      <ol className="history">
        {query.data?.data.map(({ id, type, created_at }) => (
          <li key={id}>
            <Link href={pageOf(id)!}>{textFor({ ...statuses, ...t.events }, type.split('.').at(-1)!)}</Link>
            <time dateTime={created_at}>{time(created_at)}</time>
          </li>
        ))}
      </ol>
    </section>
  );
}
