import { timeOfChange } from '../../../kernel/clock';
import type { FieldsOf } from '../../../kernel/entity';
import { ExtensionPoint } from '../../../kernel/extension-point';
import { emailKey } from '../../../kernel/text';
import type { Tx, WriteTx } from '../../../platform/database/database';
import type { MembershipRole, Role } from './principal';

export const subjectKinds = ['user', 'account'] as const;
export type SubjectKind = (typeof subjectKinds)[number];

export const loginParts = ['password', 'email', 'second_factor'] as const;
export type LoginPart = (typeof loginParts)[number];

/** Who changes a login: its subject in a session, an admin, or the owner of the mailbox, by the link in an email. */
export type LoginChanger = 'self' | 'admin' | 'email_link';

/** The last change of each part since the creation, as JSON. `at` is ISO 8601. */
export type LoginChanges = Readonly<
  Partial<Record<LoginPart, { readonly at: string; readonly by: LoginChanger }>>
>;

export interface NewCredential {
  readonly subjectId: string;
  readonly kind: SubjectKind;
  readonly email: string;
  readonly passwordHash: string;
  readonly passwordSetByOther: boolean;
  /** Whether nobody knows the password, and the owner of the mailbox sets one by a link. By default not. */
  readonly isInvited?: boolean;
  readonly accountId: string | null;
  readonly membershipRole: MembershipRole | null;
  readonly role: Role;
  readonly disabled: boolean;
  /** Of an account: the version of the API to which it is pinned. */
  readonly apiVersion?: string | null;
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
  /**
   * Whether somebody else than the subject set the password, for example an admin who created the user, and the link in an
   * email was not used since. A change in a session proves nothing: who set the password could be signed in.
   */
  passwordSetByOther: boolean;
  /** Whether nobody has known a password yet: it was created by an invitation. */
  isInvited: boolean;
  loginChanges: LoginChanges;
  /** The account that sessions of this credential act for, or null. */
  accountId: string | null;
  membershipRole: MembershipRole | null;
  role: Role;
  /** When the owner of the mailbox proved that the email is theirs; null before. */
  emailVerifiedAt: Date | null;
  /** Whether login is denied despite a correct password: the user is not active or the account is closed. */
  disabled: boolean;
  /** The version of the API to which an account is pinned; null for the newest, and of users. */
  apiVersion: string | null;

  private constructor(fields: FieldsOf<Credential, 'isLinkable' | 'isEmailVerified'>) {
    Object.assign(this, fields);
  }

  static create({ email, isInvited = false, apiVersion = null, ...rest }: NewCredential): Credential {
    const unchanged = { emailVerifiedAt: null, loginChanges: {} };
    return new Credential({ ...rest, ...unchanged, emailKey: emailKey(email), isInvited, apiVersion });
  }

  /** The new email is not verified. */
  changeEmail(email: string, by: LoginChanger, now: Date): void {
    if (emailKey(email) !== this.emailKey) this.emailVerifiedAt = null;
    this.emailKey = emailKey(email);
    this.recordChange('email', by, now);
  }

  verifyEmail(now: Date): void {
    this.emailVerifiedAt = now;
  }

  /** An admin vouches for the emails of operators and the back office by giving them their role. */
  get isEmailVerified(): boolean {
    return this.emailVerifiedAt !== null || this.role !== 'user';
  }

  setPassword(passwordHash: string, by: LoginChanger, now: Date): void {
    this.passwordHash = passwordHash;
    this.isInvited = false;
    if (by !== 'self') this.passwordSetByOther = by === 'admin';
    this.recordChange('password', by, now);
  }

  /** Records who changed a part. Its time increases with every change, so two states of a login never look the same. */
  recordChange(part: LoginPart, by: LoginChanger, now: Date): void {
    const last = this.loginChanges[part];
    const at = last === undefined ? now : timeOfChange(new Date(last.at), now);
    this.loginChanges = { ...this.loginChanges, [part]: { at: at.toISOString(), by } };
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

  pinTo(apiVersion: string): void {
    this.apiVersion = apiVersion;
  }

  unlink(): void {
    this.accountId = null;
    this.membershipRole = null;
  }
}

export abstract class CredentialsRepository {
  /** Returns the credentials of the user and of the account with this email: none, one or both. */
  abstract findByEmail(emailKey: string): Promise<Credential[]>;
  /** The same, with the id of one of them who has opened a session from the network, as far as it is stored; or null. */
  abstract findWithOwner(
    emailKey: string,
    network: string,
  ): Promise<{ found: Credential[]; ownerId: string | null }>;
  /** @param tx a transaction to read in; by default none */
  abstract findBySubjects(subjectIds: readonly string[], tx?: Tx): Promise<Credential[]>;
  /**
   * Locks the credentials until the commit, in the order of their ids, so that logins of the same subject open their
   * sessions one at a time.
   */
  abstract lockForLogin(tx: Tx, subjectIds: readonly string[]): Promise<Credential[]>;
  /** Locks the credentials of the user and of the account with this email, in the order of their ids. */
  abstract lockByEmail(tx: Tx, emailKey: string): Promise<Credential[]>;
  abstract lock(tx: Tx, subjectId: string): Promise<Credential | null>;
  /** An email that is already in use fails with `email_exists` at the commit. */
  abstract add(tx: Tx, credential: Credential): void;
  /** An email that is already in use fails with `email_exists` at the commit. */
  abstract save(tx: Tx, credential: Credential): void;
  abstract delete(tx: Tx, subjectId: string): void;
  /** Queues a lock on all credentials of the account, which waits for logins in progress. */
  abstract lockOfAccount(tx: Tx, accountId: string): void;
  /** Replaces the password hash unless it has changed from `oldHash`. */
  abstract rehash(subjectId: string, oldHash: string, newHash: string): Promise<void>;
}

export interface ChangedCredential {
  /** The id of the user or the account. */
  readonly subjectId: string;
  /** The email; when it changes, the one before. */
  readonly emailKey: string;
}

/** The request for a link to set a new password. */
export interface PasswordResetRequest {
  /** The email that a visitor entered, whether anyone has it or not; empty if it gets no further links for now. */
  readonly emailKey: string;
  /** The language of the visitor, BCP 47. */
  readonly language: string;
}

/** The changes of credentials that a module can follow, each in the database transaction of the change. */
interface CredentialListener {
  readonly name: string;
  passwordChanged?(tx: WriteTx, credential: ChangedCredential, now: Date): void;
  emailChanged?(tx: WriteTx, credential: ChangedCredential, now: Date): void;
  /** The credential has a new email, which is not verified: after a sign-up, and after a change. */
  emailUnverified?(tx: WriteTx, credential: ChangedCredential, now: Date): void;
  /** A user was created without a password of its own, which the owner of the mailbox is to set. */
  invited?(tx: WriteTx, credential: ChangedCredential, now: Date): void;
  /** A link to set a new password is to be delivered. */
  resetRequested?(tx: WriteTx, request: PasswordResetRequest, now: Date): void;
  /** What a stranger may have set up is removed, because the owner of the mailbox takes the credential over. */
  takenOver?(tx: WriteTx, credential: ChangedCredential, now: Date): void;
  /** An admin has switched the second factor off. */
  secondFactorReset?(tx: WriteTx, credential: ChangedCredential, now: Date): void;
  /** The user or the account was deleted. */
  deleted?(tx: WriteTx, credential: ChangedCredential, now: Date): void;
}

/** The extension point for modules that follow credentials. */
export class CredentialListeners extends ExtensionPoint<CredentialListener> {
  notify(
    event: Exclude<keyof CredentialListener, 'name' | 'resetRequested'>,
    tx: WriteTx,
    { subjectId, emailKey }: ChangedCredential,
    now: Date,
  ): void {
    for (const listener of this.members) listener[event]?.(tx, { subjectId, emailKey }, now);
  }

  notifyResetRequested(tx: WriteTx, request: PasswordResetRequest, now: Date): void {
    for (const listener of this.members) listener.resetRequested?.(tx, request, now);
  }
}
