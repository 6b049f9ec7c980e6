/** Limits how many reset emails a network can cause and an email can receive, across all replicas. */
export abstract class PasswordResetQuota {
  /**
   * Counts one request. It counts in the same way whether the email exists or not.
   * @throws DomainError `rate_limited`
   */
  abstract use(emailKey: string, network: string): Promise<void>;
}
