/** The count of failed logins, which all replicas share. */
export abstract class FailedLogins {
  /**
   * Call it before a password is tried, and again before a success is told: tries that ran side by side must not all
   * profit from the count as it stood before them.
   * @throws Refusal `rate_limited`
   */
  abstract assertAllowed(email: string, address: string): Promise<void>;

  /**
   * Counts a failure against each limit in turn, and no further than the first that is full: what one machine tries
   * beyond its own limits never counts against the email, or it could lock the owner out everywhere.
   * @throws Refusal `rate_limited` when others have used up the limit meanwhile
   */
  abstract count(email: string, address: string): Promise<void>;
}
