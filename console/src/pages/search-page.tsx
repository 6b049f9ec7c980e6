import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { ApiError } from 'countinghouse-client';
import { useEffect } from 'react';
import { useLocation, useSearchParams } from 'wouter';
import { useHistoryState } from 'wouter/use-browser-location';
import { api } from '../api/client';
import { isolated } from '../i18n/directions';
import { useMessages } from '../i18n/i18n';
import { Page } from '../ui/page';
import { Failure } from '../ui/states';
import { TYPED } from '../search-field';
import { type Found, FoundTable } from './found-table';
import { pageOfFound } from './links';

/** What a text names, or is a part of, by type. What is found alone is opened, unless one is still typing. */
export default function SearchPage() {
  const { search } = useMessages();
  const [params] = useSearchParams();
  const [, navigate] = useLocation();
  const q = params.get('q')?.trim() ?? '';
  const query = useQuery({
    queryKey: ['search', q],
    queryFn: ({ signal }) => api.get('/v1/search', { params: { query: { q } }, signal }),
    enabled: q !== '',
    placeholderData: keepPreviousData, // until those of a longer text are there
  });
  const found = query.data?.data ?? [];
  // What no id, email or reference can contain, such as a NUL, names nothing.
  const isInvalid = query.error instanceof ApiError && query.error.code === 'invalid_request';
  const isNone = isInvalid || (query.isSuccess && found.length === 0);
  const isTyping = useHistoryState<unknown>() === TYPED;
  const isOnly = !isTyping && !query.isPlaceholderData && found.length === 1;
  const only = isOnly ? pageOfFound(found[0]!) : null;
  useEffect(() => {
    if (only !== null) navigate(only, { replace: true });
  }, [only, navigate]);
  return (
    <Page title={`${search.results}: ${isolated(q)}`}>
      {query.isError && !isInvalid && <Failure error={query.error} retry={() => void query.refetch()} />}
      {query.isLoading && <p role="status">{search.searching}</p>}
      {isNone && (
        <p className="note" role="status">
          {search.none}
        </p>
      )}
      {[...groupsOf(found)].map(([type, items]) => (
        <FoundTable key={type} type={type} items={items} />
      ))}
      {query.data?.has_more && <p className="soft">{search.more}</p>}
    </Page>
  );
}

function groupsOf(found: readonly Found[]): Map<string, Found[]> {
  const groups = new Map<string, Found[]>();
  for (const item of found) groups.set(item.type, [...(groups.get(item.type) ?? []), item]);
  return groups;
}
