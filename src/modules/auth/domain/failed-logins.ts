/**
 * Counts failed logins across all replicas, by email and by the network of the client (see `clientNetwork`).
 *
 * The limit of an email counts strangers only: it does not apply to networks from which a session of the same user or
 * account was opened before, so that strangers cannot lock them out. Nor can a single network reach it, because it
 * counts against an email no more than its own limit for that email allows.
 */
export abstract class FailedLogins {
  /**
   * Call this before comparing a password, and again before reporting success. The second call denies logins that ran
   * in parallel and all passed the first check.
   * @param email an email key, or the id of a user or an account
   * @throws DomainError `rate_limited`
   */
  abstract assertAllowed(email: string, address: string): Promise<void>;

  /**
   * Counts one failure against each limit in turn and stops at the first limit that is exceeded. Attempts beyond the
   * limit of one network therefore do not count against the email, or anyone could lock out its owner everywhere.
   * @throws DomainError `rate_limited` when a limit was reached in the meantime
   */
  abstract count(email: string, address: string): Promise<void>;
}
