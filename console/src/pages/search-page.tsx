import { useQuery } from '@tanstack/react-query';
import { ApiError } from 'countinghouse-client';
import { useEffect } from 'react';
import { Link, useLocation, useSearchParams } from 'wouter';
import { api, type Schemas } from '../api/client';
import { useFormats } from '../i18n/formats';
import { isolated } from '../i18n/directions';
import { format, textFor, useMessages } from '../i18n/i18n';
import { IdLink } from '../ui/id-link';
import { Page } from '../ui/page';
import { Failure } from '../ui/states';
import { Status } from '../ui/status';
import { pageOfFound } from './links';

type Found = Schemas['FoundResourceResponse'];

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
  const only = found.length === 1 ? pageOfFound(found[0]!) : null;
  useEffect(() => {
    if (only !== null) navigate(only, { replace: true });
  }, [only, navigate]);
  return (
    <Page title={`${search.results}: ${isolated(q)}`}>
      {query.isError && !isInvalid && <Failure error={query.error} retry={() => void query.refetch()} />}
      {query.isLoading && <p role="status">{search.searching}</p>}
      {isNone && (
        <div className="note">
          <p role="status">{search.none}</p>
          {!isInvalid && q !== '' && <Lists q={q} />}
        </div>
      )}
      {found.length > 0 && (
        <ul className="results">
          {found.map((item) => (
            <li key={item.id}>
              <Result item={item} />
            </li>
          ))}
        </ul>
      )}
    </Page>
  );
}

/** The lists that find parts of names, which a search does not. */
function Lists({ q }: { readonly q: string }) {
  const { search } = useMessages();
  const text = encodeURIComponent(q);
  return (
    <>
      <p>
        <Link href={`/accounts?name=${text}`}>{format(search.accounts, { q })}</Link>
      </p>
      <p>
        <Link href={`/users?search=${text}`}>{format(search.users, { q })}</Link>
      </p>
    </>
  );
}

/** The members of resources that tell them apart. */
interface Shown {
  readonly name?: string | null;
  readonly email?: string;
  readonly url?: string;
  readonly type?: string;
  readonly action?: string;
  readonly customer_email?: string;
  readonly reference?: string | null;
  readonly amount?: number;
  readonly currency?: string;
  readonly status?: string;
  readonly created_at?: string;
}

function Result({ item }: { readonly item: Found }) {
  const { search, approvals } = useMessages();
  const { money, time } = useFormats();
  const { type, id, account_id } = item;
  const page = pageOfFound(item);
  const object = item.object as Shown;
  const { name, email, url, action, customer_email, reference, amount, currency, status, created_at } =
    object;
  const subject =
    type === 'approval' ? textFor(approvals.types, object.type!) : type === 'event' ? object.type : null;
  const title = name ?? email ?? url ?? subject ?? action ?? reference ?? id;
  return (
    <>
      <span className="soft">{textFor(search.types, type)}</span>
      {page === null ? <strong>{title}</strong> : <Link href={page}>{title}</Link>}
      {customer_email !== undefined && <span>{customer_email}</span>}
      {amount !== undefined && currency !== undefined && <span>{money(amount, currency)}</span>}
      {status !== undefined && <Status value={status} />}
      {created_at !== undefined && <span className="soft">{time(created_at)}</span>}
      {account_id !== null && account_id !== id && <IdLink id={account_id} />}
    </>
  );
}
