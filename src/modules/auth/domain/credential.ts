import { FieldsOf } from '../../../kernel/entity';
import { emailKey } from '../../../kernel/text';
import { MembershipRole, Role } from './principal';

export const subjectKinds = ['user', 'account'] as const;
export type SubjectKind = (typeof subjectKinds)[number];

export interface NewCredential {
  readonly subjectId: string;
  readonly kind: SubjectKind;
  readonly email: string;
  readonly passwordHash: string;
  readonly passwordSetByOther: boolean;
  readonly accountId: string | null;
  readonly membershipRole: MembershipRole | null;
  readonly role: Role;
  readonly disabled: boolean;
}

/**
 * The email and password of a user or an account. Emails are unique per kind, so the same email can belong to one user
 * and to one account.
 */
export class Credential {
  /** The id of the user or the account. */
  readonly subjectId: string;
  readonly kind: SubjectKind;
  emailKey: string;
  passwordHash: string;
  /** Whether somebody else than the subject set the password: an admin who created the user, for example. */
  passwordSetByOther: boolean;
  /** The account that sessions of this credential act for, or null. */
  accountId: string | null;
  membershipRole: MembershipRole | null;
  role: Role;
  /** Whether login is denied despite a correct password: the user is not active or the account is closed. */
  disabled: boolean;

  private constructor(fields: FieldsOf<Credential, 'isLinkable'>) {
    Object.assign(this, fields);
  }

  static create({ email, ...rest }: NewCredential): Credential {
    return new Credential({ ...rest, emailKey: emailKey(email) });
  }

  changeEmail(email: string): void {
    this.emailKey = emailKey(email);
  }

  setPassword(passwordHash: string, byOther: boolean): void {
    this.passwordHash = passwordHash;
    this.passwordSetByOther = byOther;
  }

  setDisabled(disabled: boolean): void {
    this.disabled = disabled;
  }

  setRole(role: Role): void {
    this.role = role;
  }

  /** Whether `linkTo` is possible: only users of role `user` that have no account can be linked to one. */
  get isLinkable(): boolean {
    return this.accountId === null && this.role === 'user';
  }

  linkTo(accountId: string, membershipRole: MembershipRole): void {
    this.accountId = accountId;
    this.membershipRole = membershipRole;
  }
}
