import { useQuery } from '@tanstack/react-query';
import { ApiError } from 'countinghouse-client';
import { useEffect } from 'react';
import { Link, useLocation, useSearchParams } from 'wouter';
import { api, type Schemas } from '../api/client';
import { useFormats } from '../i18n/formats';
import { textFor, useMessages } from '../i18n/i18n';
import { Page } from '../ui/page';
import { Failure } from '../ui/states';
import { Status } from '../ui/status';
import { pageOf } from './links';

type Found = Schemas['FoundResourceResponse'];

/** Ids with a page that the search of the service does not cover. */
const UNSEARCHED = /^(apr|evt|whk)_[0-9a-z]{26}$/;

/** What an id, an email or a reference names. What is found alone is opened. */
export default function SearchPage() {
  const { search } = useMessages();
  const [params] = useSearchParams();
  const [, navigate] = useLocation();
  const q = params.get('q')?.trim() ?? '';
  const query = useQuery({
    queryKey: ['search', q],
    queryFn: ({ signal }) => api.get('/v1/search', { params: { query: { q } }, signal }),
    enabled: q !== '',
  });
  const found = query.data?.data ?? [];
  // What no id, email or reference can contain, such as a NUL, names nothing.
  const isInvalid = query.error instanceof ApiError && query.error.code === 'invalid_request';
  const isNone = isInvalid || (query.isSuccess && found.length === 0);
  const named = query.isSuccess && found.length === 0 && UNSEARCHED.test(q) ? q : null;
  const only = found.length === 1 || named !== null ? pageOf(named ?? found[0]!.id) : null;
  useEffect(() => {
    if (only !== null) navigate(only, { replace: true });
  }, [only, navigate]);
  return (
    <Page title={`${search.results}: ${q}`}>
      {query.isError && !isInvalid && <Failure error={query.error} retry={() => void query.refetch()} />}
      {query.isLoading && <p role="status">{search.searching}</p>}
      {isNone && (
        <p className="note" role="status">
          {search.none}
        </p>
      )}
      <ul className="results">
        {found.map((item) => (
          <li key={item.id}>
            <Result item={item} />
          </li>
        ))}
      </ul>
    </Page>
  );
}

function Result({ item }: { readonly item: Found }) {
  const { search } = useMessages();
  const { money, time } = useFormats();
  const page = pageOf(item.id);
  const object = item.object as {
    readonly name?: string | null;
    readonly email?: string;
    readonly customer_email?: string;
    readonly reference?: string | null;
    readonly amount?: number;
    readonly currency?: string;
    readonly status?: string;
    readonly created_at?: string;
  };
  const title = object.name ?? object.email ?? object.customer_email ?? object.reference ?? item.id;
  return (
    <>
      <span className="soft">{textFor(search.types, item.type)}</span>
      {page === null ? <strong>{title}</strong> : <Link href={page}>{title}</Link>}
      {object.amount !== undefined && object.currency !== undefined && (
        <span>{money(object.amount, object.currency)}</span>
      )}
      {object.status !== undefined && <Status value={object.status} />}
      {object.created_at !== undefined && <span className="soft">{time(object.created_at)}</span>}
    </>
  );
}
