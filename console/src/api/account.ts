import { useQuery } from '@tanstack/react-query';
import DataLoader from 'dataloader';
import { isDashboard } from '../place';
import { useOwnAccountId } from '../session/use-session';
import { api, REFRESH_MS, type Schemas } from './client';

/** Where the API has an account and what belongs to it. The dashboard's account is that of the token. */
export const accountPath = (id: string): string =>
  isDashboard ? '/v1/account' : `/v1/accounts/${encodeURIComponent(id)}`;

export const readAccount = (id: string, signal?: AbortSignal) =>
  isDashboard
    ? api.get('/v1/account', { signal })
    : api.get('/v1/accounts/{account_id}', { params: { path: { account_id: id } }, signal });

export const readEntries = (id: string, query: object, signal: AbortSignal) =>
  isDashboard
    ? api.get('/v1/account/entries', { params: { query }, signal })
    : api.get('/v1/accounts/{account_id}/entries', { params: { path: { account_id: id }, query }, signal });

/** An account, which is read again now and then. @param id null for none */
export function useAccount(id: string | null) {
  return useQuery({
    queryKey: ['account', id],
    queryFn: ({ signal }) => readAccount(id!, signal),
    enabled: id !== null,
    refetchInterval: REFRESH_MS,
  });
}

/**
 * An account for a page of something else; undefined while it is not known. In the console it comes from the list, which the
 * audit log does not record.
 */
export function useListedAccount(id: string): Schemas['AccountItemResponse'] | undefined {
  const own = useAccount(isDashboard ? id : null);
  const { data } = useQuery({
    queryKey: ['listed-account', id],
    queryFn: ({ signal }) => api.get('/v1/accounts', { params: { query: { id } }, signal }),
    enabled: !isDashboard,
    refetchInterval: REFRESH_MS,
  });
  return own.data ?? data?.data[0];
}

/** Accounts rarely get another name. */
const NAMES_MS = 300_000;

/** How long ids gather, so that those of all rows on the screen are one request. */
const GATHER_MS = 20;

/** They come from the list, because the audit log would have an entry for each single account. */
const names = new DataLoader<string, string | null>(
  async (ids) => {
    const query = { id: ids.join(','), limit: ids.length };
    const { data } = await api.get('/v1/accounts', { params: { query } });
    const byId = new Map(data.map(({ id, name }) => [id, name]));
    return ids.map((id) => byId.get(id) ?? null);
  },
  { cache: false, maxBatchSize: 100, batchScheduleFn: (load) => void setTimeout(load, GATHER_MS) },
);

/**
 * Returns the name of an account; undefined until it is there. The dashboard knows only that of its own account.
 * @param id null for none
 */
export function useAccountName(id: string | null): string | undefined {
  const own = useOwnAccountId();
  const { data: account } = useAccount(id === own ? own : null);
  const { data } = useQuery({
    queryKey: ['account-name', id],
    queryFn: () => names.load(id!),
    enabled: id !== null && !isDashboard,
    staleTime: NAMES_MS,
  });
  return account?.name ?? data ?? undefined;
}

/** How much a search offers. */
export const MAX_FOUND = 10;

/** What a search offers: an account or a user. */
export type Found = Pick<Schemas['AccountItemResponse'], 'id' | 'name' | 'email'>;

/** The accounts with this id or email, or whose names begin with the text. */
export async function findAccounts(text: string, signal: AbortSignal): Promise<readonly Found[]> {
  const name = text.startsWith('acc_') ? 'id' : text.includes('@') ? 'email' : 'name';
  const query = { [name]: text, limit: MAX_FOUND };
  return (await api.get('/v1/accounts', { params: { query }, signal })).data;
}

export function useFoundAccounts(text: string) {
  return useQuery({
    queryKey: ['found-accounts', text],
    queryFn: ({ signal }) => findAccounts(text, signal),
    enabled: text !== '',
  });
}
