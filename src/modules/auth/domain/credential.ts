import { Role, Standing } from './principal';

export const subjectKinds = ['user', 'account'] as const;
export type SubjectKind = (typeof subjectKinds)[number];

/**
 * What an email and a password open. Users and accounts each have one; emails are unique within their kind, so one
 * email may open one of each.
 */
export class Credential {
  /** The user's or the account's id. */
  readonly subjectId: string;
  readonly kind: SubjectKind;
  emailKey: string;
  passwordHash: string;
  /** The account that sessions of this credential act for. */
  accountId: string | null;
  standing: Standing | null;
  role: Role;
  /** Whether signing in is refused though the password is right: a user not active, an account closed. */
  barred: boolean;
}

/** Emails compare without regard to case. Here, not in SQL, so that every database agrees. */
export function emailKey(email: string): string {
  return email.normalize('NFC').toLowerCase();
}
