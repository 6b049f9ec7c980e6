import type { Tx } from '../../../platform/database/tx';
import type { Credential, LoginChanger, LoginPart, NewCredential, SubjectKind } from './credential';
import type { MembershipRole, Principal, Role } from './principal';

/** Who has changed how a user or an account signs in. */
export type LoginHistory = Readonly<
  Pick<Credential, 'passwordSetByOther' | 'loginChanges' | 'emailVerifiedAt'>
>;

/**
 * The operations on credentials that other modules need. Changes run in the caller's transaction, and end or update the
 * affected sessions in it.
 */
export abstract class Credentials {
  /** Whether the email is in use. This is only a hint, since another request may take it before `create` commits. */
  abstract isTaken(kind: SubjectKind, email: string): Promise<boolean>;

  /** Returns the id of the user or the account that has the email; null if there is none. */
  abstract findSubject(kind: SubjectKind, email: string): Promise<string | null>;

  /** Returns the roles that users have in their accounts, by their ids; null for users without an account. */
  abstract membershipRoles(userIds: readonly string[]): Promise<ReadonlyMap<string, MembershipRole | null>>;

  /** Locks the credentials of the user and the account that have the email and may log in. */
  abstract lockByEmail(tx: Tx, key: string): Promise<Credential[]>;

  /** Locks the user or the account until `tx` ends, so that it is not deleted meanwhile. @returns whether it exists */
  abstract lockSubject(tx: Tx, subjectId: string): Promise<boolean>;

  /** Locks the credentials of users until `tx` ends. @returns those of admins who may log in, by the ids of the users */
  abstract lockAdmins(tx: Tx, userIds: readonly string[]): Promise<ReadonlyMap<string, LoginHistory>>;

  /** Locks a credential until `tx` ends, and tells who has changed it. */
  abstract lockHistory(tx: Tx, subjectId: string): Promise<LoginHistory>;

  /** The commit fails with `email_exists` when a subject of the same kind has the email. */
  abstract create(tx: Tx, fields: NewCredential, now: Date): void;

  /** The commit fails with `email_exists` when a subject of the same kind has the email. */
  abstract changeEmail(tx: Tx, subjectId: string, email: string, by: LoginChanger, now: Date): Promise<void>;

  /**
   * Changes the email as the subject itself, and ends the subject's sessions except `keepSessionId`.
   * @throws DomainError `unauthorized` when the kept session has ended since the request began
   */
  abstract changeOwnEmail(
    tx: Tx,
    subjectId: string,
    email: string,
    now: Date,
    keepSessionId: string | null,
  ): Promise<void>;

  /** Records that the current password or the second factor was confirmed in the session. */
  abstract recordConfirmation(tx: Tx, sessionId: string | null, now: Date): void;

  /**
   * Sets a new password and ends the subject's sessions except `keepSessionId`.
   * @throws DomainError `unauthorized` when the kept session has ended since the request began, for example because a
   * concurrent password change ended it
   */
  abstract setPassword(
    tx: Tx,
    subjectId: string,
    passwordHash: string,
    now: Date,
    keepSessionId: string | null,
    by: LoginChanger,
  ): Promise<void>;

  /** Sets a new password of a locked credential, and ends the subject's sessions except `keepSessionId`. */
  abstract replacePassword(
    tx: Tx,
    credential: Credential,
    passwordHash: string,
    now: Date,
    keepSessionId: string | null,
    by: LoginChanger,
  ): void;

  /** Records on the caller's session whether its subject has a second factor, and ends the subject's other sessions. */
  abstract setSecondFactor(tx: Tx, principal: Principal, isOn: boolean, now: Date): Promise<void>;

  /** Records that a part was changed that another module stores. @returns the locked credential */
  abstract recordChange(
    tx: Tx,
    subjectId: string,
    part: LoginPart,
    by: LoginChanger,
    now: Date,
  ): Promise<Credential>;

  /** Denies or allows login. Denying it ends the subject's sessions. */
  abstract setDisabled(tx: Tx, subjectId: string, disabled: boolean, now: Date): Promise<void>;

  abstract setRole(tx: Tx, userId: string, role: Role): Promise<void>;

  /** Links a user and its live sessions to an account. @returns false when the user cannot be linked */
  abstract link(tx: Tx, userId: string, accountId: string, membershipRole: MembershipRole): Promise<boolean>;

  /** Unlinks the owner of an account from it and ends the user's sessions. @returns false for a user who owns none */
  abstract unlinkOwner(tx: Tx, userId: string, now: Date): Promise<boolean>;

  /** Deletes the credential, which frees its email, and ends the subject's sessions. */
  abstract delete(tx: Tx, subjectId: string, now: Date): Promise<void>;

  /**
   * Ends all sessions that were opened with the credential, including those of logins in progress.
   * @returns the account and the role of the credential; null when there is no credential
   */
  abstract endOwnSessions(
    tx: Tx,
    subjectId: string,
    now: Date,
  ): Promise<Pick<Credential, 'accountId' | 'role'> | null>;

  /** Ends all sessions that act for the account, including those of logins in progress. */
  abstract endSessionsOfAccount(tx: Tx, accountId: string, now: Date): void;

  /**
   * Locks the credential and then the session.
   * @throws DomainError `unauthorized` when the session is not live, or the subject was deleted
   */
  abstract lockForSession(
    tx: Tx,
    subjectId: string,
    now: Date,
    sessionId: string | null,
  ): Promise<Credential>;
}
