import { TestService } from './service';

/** Makes the account one that was opened in the year 2000, so that it has statements of the past. @returns the account */
export async function openedIn2000<T extends { readonly accountId: string }>(
  service: Pick<TestService, 'sql'>,
  account: T,
): Promise<T> {
  await service.sql(`UPDATE accounts SET created_at = '2000-01-01' WHERE id = $1`, [account.accountId]);
  return account;
}
