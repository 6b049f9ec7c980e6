/** Who logs in. */
export interface LoginClient {
  readonly address: string;
  /** The id of the user or the account to whom the client's network is known, or null. */
  readonly owner: string | null;
}

/**
 * Hashes passwords with bcrypt in worker threads, so that a login does not block other requests. Logins from networks
 * that are known to their owner, other logins and all other tasks take turns. In each, the networks of the clients do, and
 * in a network that is known to several owners, they do.
 */
export abstract class PasswordHasher {
  /**
   * @param client the address of the client, or another name for whose turn it is
   * @throws DomainError `unavailable` when too many tasks are queued
   */
  abstract hash(password: string, client: string): Promise<string>;

  /**
   * Returns the candidates that the password matches. A mismatch always takes the same number of comparisons, so that
   * the time does not reveal how many candidates there are. A password that is too long matches none.
   *
   * All comparisons are one task of the queue: an attempt is either rejected without any comparison, or completed and
   * counted.
   * @param candidatesOf is called when it is the attempt's turn, so that a limit that was reached in the meantime saves
   * the comparisons
   * @throws DomainError `unavailable` when too many tasks are queued; the errors of `candidatesOf`
   */
  abstract matching<Candidate extends { readonly passwordHash: string }>(
    password: string,
    client: LoginClient,
    candidatesOf: () => Promise<readonly Candidate[]>,
  ): Promise<Candidate[]>;

  /** Whether the hash was computed with a lower cost than is configured now. */
  abstract isOutdated(hash: string): boolean;
}
