import { type QueryClient, useQuery } from '@tanstack/react-query';
import { findAccounts, type Found, MAX_FOUND } from './account';
import { api, REFRESH_MS } from './client';

export const readUser = (id: string, signal?: AbortSignal) =>
  api.get('/v1/users/{user_id}', { params: { path: { user_id: id }, query: { view: 'full' } }, signal });

/** A user, who is read again now and then. @param id null for none */
export function useUserOf(id: string | null) {
  return useQuery({
    queryKey: ['user', id],
    queryFn: ({ signal }) => readUser(id!, signal),
    enabled: id !== null,
    refetchInterval: REFRESH_MS,
  });
}

/** People rarely get another role or email. */
const EMAILS_MS = 300_000;

type Selection = { readonly role: 'admin' | 'support' | 'platform' } | { readonly account_id: string };

const operators: readonly Selection[] = [{ role: 'admin' }, { role: 'support' }, { role: 'platform' }];

/**
 * The emails of users by their ids, of at most 100 for each selection. They come from lists, because the audit log
 * would have an entry for each single user.
 */
function emailsOf(key: string, selections: readonly Selection[]) {
  return {
    queryKey: ['emails', key],
    queryFn: async () => {
      const read = (selection: Selection) =>
        api.get('/v1/users', { params: { query: { ...selection, limit: 100 } } });
      const lists = await Promise.all(selections.map(read));
      return new Map(lists.flatMap(({ data }) => data.map(({ id, email }) => [id, email] as const)));
    },
    staleTime: EMAILS_MS,
  };
}

/** Returns the email of a user who works for the operator or, where it is given, for the account. */
export function useEmailOf(accountId?: string): (id: string) => string | undefined {
  const { data: ofOperators } = useQuery(emailsOf('operators', operators));
  const { data: ofAccount } = useQuery({
    ...emailsOf(accountId ?? '', accountId === undefined ? [] : [{ account_id: accountId }]),
    enabled: accountId !== undefined,
  });
  return (id) => ofOperators?.get(id) ?? ofAccount?.get(id);
}

/** Returns the email of a user who works for the operator, or the id of anybody else. */
export async function readNameOf(queries: QueryClient, id: string): Promise<string> {
  return (await queries.fetchQuery(emailsOf('operators', operators))).get(id) ?? id;
}

/** Who acts: the users with this id, or this text in their name or email, and accounts as `findAccounts` finds them. */
export function useFoundActors(text: string) {
  return useQuery({
    queryKey: ['found-actors', text],
    queryFn: async ({ signal }): Promise<readonly Found[]> => {
      if (text.startsWith('usr_')) return [{ id: text, name: text, email: '' }];
      if (text.startsWith('acc_')) return findAccounts(text, signal);
      const query = { search: text, limit: MAX_FOUND };
      const [users, accounts] = await Promise.all([
        api.get('/v1/users', { params: { query }, signal }),
        findAccounts(text, signal),
      ]);
      const found = users.data.map(({ id, name, email }) => ({ id, name: name ?? email, email }));
      return [...found, ...accounts].slice(0, MAX_FOUND);
    },
    enabled: text !== '',
  });
}
