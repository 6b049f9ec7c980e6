import type { LoginSubject } from './sign-in-subjects';

/** The users and accounts that may log in, as emails to them need them. */
export abstract class LoginSubjects {
  /** Describes the user and the account that have the email and may log in, the account first. */
  abstract describeByEmail(key: string): Promise<LoginSubject[]>;

  /** Describes the user or the account; null if it may not log in. */
  abstract describe(subjectId: string): Promise<LoginSubject | null>;
}
